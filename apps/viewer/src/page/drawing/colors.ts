/** Colours in the byte order of image data: 0xAABBGGRR. */
export type Abgr = number
export const colorings = ['job', 'size', 'wait', 'slowdown', 'spread', 'backfilled'] as const
export type ColorBy = (typeof colorings)[number]

/** Hues (red, green, blue) that colour-blind readers can tell apart: Paul Tol's muted scheme without grey. */
const hues: ReadonlyArray<readonly [number, number, number]> = [
  [51, 34, 136],
  [136, 204, 238],
  [68, 170, 153],
  [17, 119, 51],
  [153, 153, 51],
  [221, 204, 119],
  [204, 102, 119],
  [136, 34, 85],
  [170, 68, 153],
]
const lightnesses = [0, 0.22, -0.2]

const jobColors: ReadonlyArray<Abgr> = lightnesses.flatMap((change) =>
  hues.map(([r, g, b]) => abgr(shade(r, change), shade(g, change), shade(b, change))),
)

/** Grey that is mixed into the colours of all jobs, so that idle nodes stand out, and the grey's share, from 0 to 1. */
const quiet = { color: abgr(150, 164, 180), share: 0.62 }
const quietColors: ReadonlyArray<Abgr> = jobColors.map((color) => mix(color, quiet.color, quiet.share))

/** The Cividis scale at nine points. Lightness grows evenly, and colour-blind readers see nearly the same scale. */
const scalePoints: ReadonlyArray<readonly [number, number, number]> = [
  [0, 34, 78],
  [27, 54, 109],
  [62, 75, 108],
  [92, 97, 110],
  [123, 122, 119],
  [155, 147, 115],
  [189, 175, 98],
  [223, 203, 71],
  [254, 232, 56],
]
const STEPS = 64
const scaleColors: ReadonlyArray<Abgr> = Array.from({ length: STEPS }, (_, step) => {
  const at = (step / (STEPS - 1)) * (scalePoints.length - 1)
  const low = Math.min(Math.floor(at), scalePoints.length - 2)
  const [r, g, b] = scalePoints[low].map((from, channel) =>
    Math.round(from + (at - low) * (scalePoints[low + 1][channel] - from)),
  )
  return abgr(r, g, b)
})

/** Returns a job's greyed colour by its number in submit order. Neighbouring numbers get distant colours. */
export function jobColor(number: number): Abgr {
  return quietColors[(number * 10 + Math.floor(number / 27) * 4) % jobColors.length]
}

/** Returns a colour of the Cividis scale. @param share place on the scale, from 0 to 1 */
export function scaleColor(share: number): Abgr {
  return scaleColors[Math.max(0, Math.min(STEPS - 1, Math.round(share * (STEPS - 1))))]
}

export const backfilledColors = { backfilled: abgr(221, 170, 51), inTurn: abgr(0, 68, 136), killed: abgr(187, 85, 102) }

/** Cache of the CSS texts of colours. A picture asks for thousands of CSS texts, but for few different colours. */
const spelled = new Map<Abgr, string>()
const SPELLED = 10_000

export function css(color: Abgr): string {
  const known = spelled.get(color)
  if (known !== undefined) return known
  const text = `rgb(${color & 255} ${(color >>> 8) & 255} ${(color >>> 16) & 255})`
  if (spelled.size === SPELLED) spelled.clear()
  spelled.set(color, text)
  return text
}

/** Returns true if black text on the colour is easier to read than white text. */
export function isLight(color: Abgr): boolean {
  // Relative luminance by WCAG 2.2: at 0.179, black text and white text have the same contrast, 4.6.
  return luminance(color) > 0.179
}

function luminance(color: Abgr): number {
  const linear = (value: number): number =>
    value <= 10.3 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4
  return 0.2126 * linear(color & 255) + 0.7152 * linear((color >>> 8) & 255) + 0.0722 * linear((color >>> 16) & 255)
}

/** Mixes two colours. @param share share of the colour `other`, from 0 to 1 */
export function mix(color: Abgr, other: Abgr, share: number): Abgr {
  const channel = (shift: number): number =>
    Math.round(((color >>> shift) & 255) * (1 - share) + ((other >>> shift) & 255) * share)
  return abgr(channel(0), channel(8), channel(16))
}

function abgr(r: number, g: number, b: number): Abgr {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0
}

const isDark = typeof matchMedia === 'undefined' ? undefined : matchMedia('(prefers-color-scheme: dark)')
let knownFor = ''
const known = new Map<string, Abgr>()

/** Returns the colour of a custom property of the style sheet, for example `--free`, in the page's present theme. */
export function themeColor(name: string): Abgr {
  // Computing the page's style is slow, and a drawing asks for hundreds of colours, so the colours are cached.
  const { theme, origin } = document.documentElement.dataset
  const appearance = `${theme} ${origin} ${isDark?.matches}`
  if (appearance !== knownFor) known.clear()
  knownFor = appearance
  const color = known.get(name) ?? computed(name)
  known.set(name, color)
  return color
}

function computed(name: string): Abgr {
  const [r = 0, g = 0, b = 0] =
    getComputedStyle(document.documentElement).getPropertyValue(name).match(/\d+/g)?.map(Number) ?? []
  return abgr(r, g, b)
}

function shade(channel: number, change: number): number {
  return Math.round(change < 0 ? channel * (1 + change) : channel + (255 - channel) * change)
}

/** Custom properties of the style sheet that have the colours of `nodeTimeUses`, in their order. */
export const useColors = ['--job', '--beyond', '--down', '--free', '--few', '--fragmented'] as const
