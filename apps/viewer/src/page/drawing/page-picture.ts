import { saveFile } from './save-file.ts'
import { savePng } from './save-png.ts'

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
