import { csvOf, type Extent, type Figure, type Picture } from '@cloister/figures'
import type { JSX } from 'preact'
import type {} from './pictures.ts'

/** Figure to save, and the size of its picture. */
export interface SavedFigure {
  readonly figure: Figure
  readonly extent: Extent
}

/** Buttons that save a track as SVG, PNG or CSV. @param figureOf returns undefined while the track has no data */
export function SaveButtons({
  title,
  name,
  figureOf,
}: {
  readonly title: string
  /** Name of the saved files, without the ending. */
  readonly name: string
  readonly figureOf: () => SavedFigure | undefined
}): JSX.Element {
  const save = async (kind: 'svg' | 'png' | 'csv'): Promise<void> => {
    const saved = figureOf()
    if (saved === undefined) return
    if (kind === 'csv') return saveFile(csvOf(saved.figure.data), `${name}.csv`, 'text/csv')
    const { svg } = await drawn(saved)
    if (kind === 'svg') saveFile(svg, `${name}.svg`, 'image/svg+xml')
    else await savePng(svg, `${name}.png`)
  }
  return (
    <span class="save">
      <button type="button" aria-label={`Save ${title} as SVG`} onClick={() => void save('svg')}>
        SVG
      </button>
      <button type="button" aria-label={`Save ${title} as PNG`} onClick={() => void save('png')}>
        PNG
      </button>
      <button type="button" aria-label={`Save the numbers of ${title} as CSV`} onClick={() => void save('csv')}>
        CSV
      </button>
    </span>
  )
}

/** Draws a figure. The first call runs the script in the element `pictures`, or the script that the element names. */
async function drawn({ extent, figure }: SavedFigure): Promise<Picture> {
  if (globalThis.drawPicture === undefined) {
    const { textContent, dataset } = document.getElementById('pictures')!
    const script = document.createElement('script')
    script.textContent = dataset['from'] === undefined ? textContent : await (await fetch(dataset['from'])).text()
    document.head.append(script)
  }
  return globalThis.drawPicture!(document, extent, figure)
}

/** Offers content to the user as a download. @param type MIME type */
export function saveFile(content: string | Blob, name: string, type: string): void {
  const address = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}

/** Pixels of a PNG for each pixel of the SVG picture, in both directions. */
const SCALE = 2

/** Offers an SVG picture to the user as a PNG download. */
async function savePng(svg: string, name: string): Promise<void> {
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = image.naturalWidth * SCALE
  canvas.height = image.naturalHeight * SCALE
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
  const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve))
  if (png !== null) saveFile(png, name, 'image/png')
}

/** Saves the visible page as SVG or as PNG. Only browsers can draw the SVG, because it contains the page's HTML. */
export async function savePage(as: 'svg' | 'png'): Promise<void> {
  const svg = pageAsSvg()
  if (as === 'svg') return saveFile(svg, 'page.svg', 'image/svg+xml')
  return savePng(svg, 'page.png')
}

/** Copies the page as SVG, without scripts, with canvases as images, and with the present values of fields. */
function pageAsSvg(): string {
  const copy = document.body.cloneNode(true) as HTMLElement
  for (const each of copy.querySelectorAll('script')) each.remove()
  const copies = copy.querySelectorAll('canvas')
  for (const [at, canvas] of document.querySelectorAll('canvas').entries()) {
    const { position, inset, zIndex, width, height } = getComputedStyle(canvas)
    const image = document.createElement('img')
    image.src = canvas.toDataURL()
    Object.assign(image.style, { position, inset, zIndex, width, height })
    copies[at].replaceWith(image)
  }
  const fields = copy.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select')
  for (const [at, field] of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>('input, select').entries())
    if (field instanceof HTMLSelectElement)
      fields[at].querySelectorAll('option')[field.selectedIndex]?.setAttribute('selected', '')
    else fields[at].setAttribute('value', field.value)
  const style = document.createElement('style')
  style.textContent = Array.from(document.querySelectorAll('style'), ({ textContent }) => textContent).join('\n')
  copy.prepend(style)
  const given = document.documentElement.dataset['theme']
  const isDark = given === 'dark' || (given !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  for (const [name, value] of Object.entries({
    width: innerWidth,
    height: innerHeight,
    'data-theme': isDark ? 'dark' : 'light',
  }))
    svg.setAttribute(name, String(value))
  const inside = document.createElementNS('http://www.w3.org/2000/svg', 'foreignObject')
  inside.setAttribute('width', '100%')
  inside.setAttribute('height', '100%')
  inside.append(copy)
  svg.append(inside)
  return new XMLSerializer().serializeToString(svg)
}
