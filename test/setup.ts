// Before every test file: properties that name no seed have the usual one, so that what is right today is right tomorrow.
// CHUNKWISE_SEED=random looks further (test/property/settings.ts).

import fc from "fast-check";
import { SEED } from "./property/settings.ts";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
