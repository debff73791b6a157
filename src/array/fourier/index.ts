// cw.fft: the Fourier extension of the array API standard 2024.12.

export {
  type FourierAxesOptions,
  type FrequencyOptions,
  fftfreq,
  fftn,
  fftshift,
  ifftn,
  ifftshift,
  irfftn,
  rfftfreq,
  rfftn,
  type ShiftOptions,
} from "./severalAxes.ts";
export { type FourierNorm, type FourierOptions, fft, hfft, ifft, ihfft, irfft, rfft } from "./transforms.ts";
