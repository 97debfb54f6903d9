import { expect, it } from 'vitest'
import { type Abgr, isLight, jobColor, scaleColor } from '../src/page/drawing/colors.ts'

/** Returns the contrast ratio of WCAG 2.2. */
function contrast(color: Abgr, ink: 0 | 1): number {
  const luminance = [0, 8, 16]
    .map((shift) => ((color >>> shift) & 255) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0)
  const [low, high] = [luminance, ink].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

it('keeps names readable on every colour of a job', () => {
  const colors = [
    ...Array.from({ length: 27 * 27 }, (_, number) => jobColor(number)),
    ...Array.from({ length: 65 }, (_, step) => scaleColor(step / 64)),
  ]
  for (const color of colors) expect(contrast(color, isLight(color) ? 0 : 1)).toBeGreaterThanOrEqual(4.5)
})
