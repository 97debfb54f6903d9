import type { Extent } from '@cloister/figures'
import { attempt } from '@cloister/run'
import { Files } from '@cloister/run/node'
import { Effect } from 'effect'
import { readFileSync, writeFileSync } from 'node:fs'
import { extname } from 'node:path'
import { Problem } from '../errors/errors.ts'
import { importOptional } from '../policy/policy-lookup.ts'
import { pdfOf, type PdfKit } from './pdf.ts'

/** Package that draws SVG as pixels. Users of PNG install the package themselves: its binary has 5 MB. */
const RESVG = '@resvg/resvg-js'
/** Package that writes PDF. Users of PDF install the package themselves: with its dependencies it has 25 MB. */
const PDFKIT = 'pdfkit'

/** Pixels of PNG files for each CSS pixel: 300 dots per inch. */
const ZOOM = 300 / 96

interface ResvgModule {
  readonly Resvg: new (
    svg: string,
    options: object,
  ) => { readonly render: () => { readonly asPng: () => Uint8Array }; readonly innerBBox: () => object | undefined }
}

/** Formats of pictures, by the ending of the file. */
const formats = ['.svg', '.pdf', '.png'] as const

/** Returns the format of a picture's file. Fails for an unknown ending. */
export const formatOf = (path: string): Effect.Effect<(typeof formats)[number], Problem> => {
  const ending = extname(path).toLowerCase()
  const format = formats.find((each) => each === ending)
  return format === undefined
    ? Effect.fail(new Problem(`--out: found ${path}, expected a name that ends in ${formats.join(', ')}`))
    : Effect.succeed(format)
}

/** Converts an SVG text into the bytes of a file of a format. @param font file of a font for the text; `undefined`: none */
export const encoded = Effect.fnUntraced(function* (
  format: (typeof formats)[number],
  svg: string,
  extent: Extent,
  font: string | undefined,
) {
  if (format === '.svg') return svg
  const bytes = font === undefined ? undefined : yield* attempt(() => ({ font: readFileSync(font), name: font }))
  if (format === '.pdf') {
    const pdfkit = yield* importOptional<PdfKit>(PDFKIT, '--out FILE.pdf needs PDFKit')
    return yield* Effect.tryPromise({
      try: () => pdfOf(pdfkit, svg, extent, bytes?.font),
      catch: (cause) =>
        cause instanceof Problem
          ? cause
          : font === undefined
            ? new Problem(`the PDF cannot be written: ${String(cause)}`)
            : wrongFont(font),
    })
  }
  const { Resvg } = yield* importOptional<ResvgModule>(RESVG, '--out FILE.png needs resvg')
  return yield* Effect.try({
    try: () => pngOf(Resvg, svg, font),
    catch: (cause) => (cause instanceof Problem ? cause : new Problem(`the PNG cannot be drawn: ${String(cause)}`)),
  })
})

function wrongFont(font: string): Problem {
  return new Problem(`--font: found ${font}, expected a TrueType or OpenType font`)
}

/** @throws Problem if no font is found, because resvg then leaves out all texts */
function pngOf(Resvg: ResvgModule['Resvg'], svg: string, font: string | undefined): Uint8Array {
  // Without Helvetica and Arial, resvg would take a font with serifs.
  const system = { loadSystemFonts: true, defaultFontFamily: 'DejaVu Sans' }
  const fonts = { font: font === undefined ? system : { loadSystemFonts: false, fontFiles: [font] } }
  const probe =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9" font-family="Helvetica, Arial, sans-serif">x</text></svg>'
  if (new Resvg(probe, fonts).innerBBox() === undefined)
    throw new Problem(
      font === undefined
        ? 'PNG needs a font, and the system has none; --font FILE.ttf names one'
        : wrongFont(font).message,
    )
  return new Resvg(svg, { ...fonts, fitTo: { mode: 'zoom', value: ZOOM } }).render().asPng()
}

/** Writes bytes or a text into a file that appears completely or not at all. */
export const writePicture = Effect.fnUntraced(function* (
  path: string,
  content: string | Uint8Array,
  existing: 'overwrite' | 'refuse',
) {
  const disk = yield* Files
  if (typeof content === 'string') return yield* attempt(() => disk.writeText(path, content, existing))
  const file = yield* Effect.acquireRelease(
    attempt(() => disk.create(path, existing)),
    (begun) => Effect.sync(() => begun.discard()),
  )
  yield* attempt(() => {
    writeFileSync(file.temporary, content)
    file.commit()
  })
}, Effect.scoped)
