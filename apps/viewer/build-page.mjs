// Bundles the viewer's page into one HTML file. `cloister view` serves the file unchanged; `cloister export --to html`
// puts logs into a copy.
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledFrom, noticesOf, thirdParty } from '@cloister/build/third-party'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))

/** Plot's imports from d3-geo. The page lacks d3-geo: no picture has a map, and d3-geo would take 5 % of the page. */
const ofMaps = `Albers AlbersUsa AzimuthalEqualArea AzimuthalEquidistant Centroid ClipRectangle ConicConformal
  ConicEqualArea ConicEquidistant EqualEarth Equirectangular Gnomonic Graticule10 Mercator Orthographic Path
  Stereographic Stream Transform TransverseMercator`.split(/\s+/)

/** Plot's imports from d3-scale-chromatic. The viewer's pictures name their own colours, so Plot needs no scheme. */
const ofSchemes =
  `Accent Blues BrBG BuGn BuPu Category10 Cividis Cool CubehelixDefault Dark2 GnBu Greens Greys Inferno Magma
  Observable10 OrRd Oranges PRGn Paired Pastel1 Pastel2 PiYG Plasma PuBu PuBuGn PuOr PuRd Purples Rainbow RdBu RdGy RdPu
  RdYlBu RdYlGn Reds Set1 Set2 Set3 Sinebow Spectral Tableau10 Turbo Viridis Warm YlGn YlGnBu YlOrBr YlOrRd`.split(
    /\s+/,
  )

/** Replacements of the exports of Plot's legends, because the viewer's pictures draw their own legends. */
const ofLegends = [
  'export const createLegends = () => []',
  'export const exposeLegends = () => () => undefined',
  'export const legend = undefined',
]

/** Makes an esbuild plugin that replaces modules. `contents` has the new lines of each module, by its import path. */
const without = (contents) => ({
  name: 'without',
  setup(bundler) {
    const filter = new RegExp(`^(${Object.keys(contents).join('|')})$`)
    bundler.onResolve({ filter }, ({ path }) => ({ path, namespace: 'without', sideEffects: false }))
    bundler.onLoad({ filter: /./, namespace: 'without' }, ({ path }) => ({ contents: contents[path].join('\n') }))
  },
})

/**
 * Returns the page as HTML. The marker `<!--logs-->` stands at the place for embedded logs. `main` is the file of the
 * script that calls `showPage`.
 */
export async function buildPage(main) {
  return (await bundlePage(main)).page
}

/** Bundles the page. Returns the page as HTML, and the third-party packages in the page. */
export async function bundlePage(main = 'src/page/main.tsx') {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: [
      { in: main, out: 'page' },
      { in: 'src/page/drawing/pictures.ts', out: 'pictures' },
      { in: 'src/page/style.css', out: 'style' },
    ],
    outdir: 'dist',
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    conditions: ['@cloister/source'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [
      without({
        './legends.js': ofLegends,
        'd3-geo': ofMaps.map((name) => `export const geo${name} = () => ({})`),
        'd3-scale-chromatic': ofSchemes.map(
          (name) => `export const scheme${name} = []; export const interpolate${name} = () => 'black'`,
        ),
      }),
    ],
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    logLevel: 'warning',
  })
  const textOf = (name) => outputFiles.find(({ path }) => path.endsWith(name)).text
  // A closing script tag in a string of the script would end the script element, so the slash of the tag is escaped.
  const scriptOf = (name) => textOf(name).trimEnd().replaceAll('</script', '<\\/script')
  const [script, pictures] = [scriptOf('page.js'), scriptOf('pictures.js')]
  const style = textOf('style.css').trim()
  const sha256 = (text) => createHash('sha256').update(text).digest('base64')
  // The browser runs only the scripts with these hashes. A string from a log stays inert even if a mistake turns the string
  // into markup.
  const policy = `default-src 'none'; script-src 'sha256-${sha256(script)}' 'sha256-${sha256(pictures)}'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'`
  const packages = thirdParty(bundledFrom(here, metafile))
  // An exported page is passed on alone, so the licences of the bundled packages are in the page.
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Cloister</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<!--logs-->
<script>${script}</script>
<script type="text/plain" id="pictures">${pictures}</script>
</body>
</html>
<!-- This page contains:

${noticesOf(packages).replaceAll('--', '==')}-->
`
  return { page, packages }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(join(here, 'dist'), { recursive: true })
  writeFileSync(join(here, 'dist/page.html'), await buildPage())
}
