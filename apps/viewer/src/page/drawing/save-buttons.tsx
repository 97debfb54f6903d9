import type { JSX } from 'preact'
import { csvOf } from '../../pictures/csv.ts'
import type { Picture } from '../../pictures/drawing.ts'
import { saveFile } from './save-file.ts'
import { savePng } from './save-png.ts'

/** Buttons that save a track as SVG, PNG or CSV. @param pictureOf returns undefined while the track has no data */
export function SaveButtons({
  title,
  name,
  pictureOf,
}: {
  readonly title: string
  /** Name of the saved files, without the ending. */
  readonly name: string
  readonly pictureOf: () => Picture | undefined
}): JSX.Element {
  const save = (kind: 'svg' | 'png' | 'csv'): void => {
    const picture = pictureOf()
    if (picture === undefined) return
    if (kind === 'svg') saveFile(picture.svg, `${name}.svg`, 'image/svg+xml')
    else if (kind === 'png') void savePng(picture.svg, `${name}.png`)
    else saveFile(csvOf(picture.data), `${name}.csv`, 'text/csv')
  }
  return (
    <span class="save">
      <button type="button" aria-label={`Save ${title} as SVG`} onClick={() => save('svg')}>
        SVG
      </button>
      <button type="button" aria-label={`Save ${title} as PNG`} onClick={() => save('png')}>
        PNG
      </button>
      <button type="button" aria-label={`Save the numbers of ${title} as CSV`} onClick={() => save('csv')}>
        CSV
      </button>
    </span>
  )
}
