// How deep a form is. In: a form. Out: the most axes that any of its leaves has, the rows' own among them.

import type { Form } from "../../core/form/form.ts";
import { depthsOf } from "../layout/layout.ts";
import { plainProbe } from "../layout/probe.ts";

export const depthOfForm = (form: Form): number => depthsOf(plainProbe(form))[1];
