/** An element of an SVG drawing. */
export interface Svg {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly children: ReadonlyArray<Svg | string>
}

export function svg(name: string, attributes: Svg['attributes'], ...children: Svg['children']): Svg {
  return { name, attributes, children }
}

/** A whole file. */
export function formatSvg(width: number, height: number, ...children: ReadonlyArray<Svg>): string {
  const root = svg(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      'font-family': 'Helvetica, Arial, sans-serif',
      'font-size': 12,
    },
    svg('rect', { width, height, fill: 'white' }),
    ...children,
  )
  return `${format(root, '')}\n`
}

function format({ name, attributes, children }: Svg, indent: string): string {
  const open = `${indent}<${name}${Object.entries(attributes)
    .map(
      ([key, value]) =>
        ` ${key}="${escape(typeof value === 'number' ? String(Math.round(value * 100) / 100) : value)}"`,
    )
    .join('')}`
  if (children.length === 0) return `${open}/>`
  if (children.every((child) => typeof child === 'string')) return `${open}>${children.map(escape).join('')}</${name}>`
  return `${open}>\n${children.map((child) => (typeof child === 'string' ? escape(child) : format(child, `${indent}  `))).join('\n')}\n${indent}</${name}>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
