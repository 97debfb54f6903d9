import { expect, it } from 'vitest'
import { type Abgr, isLight, jobColor, scaleColor } from '../src/page/drawing/colors.ts'

/** Returns the contrast ratio, by WCAG 2.2, between a colour and black (0) or white (1) ink. */
function contrast(color: Abgr, ink: 0 | 1): number {
  const luminance = [0, 8, 16]
    .map((shift) => ((color >>> shift) & 255) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0)
  const [low, high] = [luminance, ink].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

it('the name of a job, in black or white, has a contrast of at least 4.5 on every colour of jobs', () => {
  const colors = [
    ...Array.from({ length: 27 * 27 }, (_, number) => jobColor(number)),
    ...Array.from({ length: 65 }, (_, step) => scaleColor(step / 64)),
  ]
  for (const color of colors) expect(contrast(color, isLight(color) ? 0 : 1)).toBeGreaterThanOrEqual(4.5)
})
