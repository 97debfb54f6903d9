/** Letters of Helvetica by width, in 1/1000 of the type size, rounded to classes; further characters count as 560. */
const classes: ReadonlyArray<readonly [width: number, letters: string]> = [
  [222, "ijl|'"],
  [278, ' ftI.,:;/\\![]()-r'],
  [500, 'ckvxyszJ"*'],
  [611, 'FTZ'],
  [667, 'ABEKPSVXY&L'],
  [722, 'CDHNRUw'],
  [778, 'GOQ+=<>~'],
  [889, 'mM%'],
  [944, 'W@'],
]

const widths: ReadonlyMap<string, number> = new Map(
  classes.flatMap(([width, letters]) => Array.from(letters, (letter): [string, number] => [letter, width])),
)

/** Returns the estimated width of a text in Helvetica or Arial, in the unit of `size`, the size of the type. */
export function textWidth(text: string, size: number): number {
  let sum = 0
  for (const letter of text) sum += widths.get(letter) ?? 560
  return (sum / 1000) * size
}
