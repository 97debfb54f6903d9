import type { Key } from './figure.ts'

/** Lines of each pattern in a square of 8 by 8; the first series has no pattern. */
const lines: ReadonlyArray<string> = [
  '',
  'M-2,2L2,-2M0,8L8,0M6,10L10,6',
  'M0,4H8',
  'M-2,6L2,10M0,0L8,8M6,-2L10,2',
  'M4,0V8',
  'M0,0L8,8M0,8L8,0',
  'M0,4H8M4,0V8',
]

/** Lengths of dashes and gaps of each series, for type of the size 1; the first series has no gaps. */
const dashes: ReadonlyArray<ReadonlyArray<number> | undefined> = [
  undefined,
  [0.55, 0.25],
  [0.17, 0.17],
  [0.8, 0.2, 0.17, 0.2],
  [0.33, 0.5],
  [1.1, 0.3],
  [0.8, 0.2, 0.17, 0.2, 0.17, 0.2],
]

/** Returns the SVG definitions of the patterns of some keys, in the colours of the keys. */
export function patternsOf(keys: ReadonlyArray<Key>, type: number): ReadonlyArray<string> {
  const definitions = keys.map(({ color }, at) => {
    const path = lines[at % lines.length]
    if (path === '') return ''
    // The square has a third of the width of the type, so a box of the legend shows the pattern a few times.
    const scale = type / 24
    return `<pattern id="${patternId(at, color)}" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="scale(${scale})"><rect width="8" height="8" fill="${tint(color)}"></rect><path d="${path}" stroke="${color}" stroke-width="2" fill="none"></path></pattern>`
  })
  return [...new Set(definitions)].filter((definition) => definition !== '')
}

/** Returns the fill of a series by its place among the keys: the colour, or the reference to the pattern. */
export function fillOf(at: number, color: string): string {
  return lines[at % lines.length] === '' ? color : `url(#${patternId(at, color)})`
}

/** Returns the dashes of a series in pixels by its place among the keys; undefined for a line without gaps. */
export function dashOf(at: number, type: number): string | undefined {
  return dashes[at % dashes.length]?.map((length) => Math.round(length * type * 100) / 100).join(' ')
}

function patternId(at: number, color: string): string {
  return `pattern-${(at % lines.length) + 1}-${color.slice(1)}`
}

/** Mixes a colour (`#rrggbb`) with four parts of white. */
function tint(color: string): string {
  const channels = [1, 3, 5].map((from) => Number.parseInt(color.slice(from, from + 2), 16))
  return `#${channels
    .map((channel) =>
      Math.round(255 - (255 - channel) / 5)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}
