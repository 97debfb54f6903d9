// Bundles the page into one HTML file that needs nothing else: it is served as it is, and exported with logs inside.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledFrom, noticesOf, thirdParty } from '@cloister/build/third-party'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))

/** What Plot takes of d3-geo. It would be a twentieth of the page, for pictures that have no map in them. */
const ofMaps = `Albers AlbersUsa AzimuthalEqualArea AzimuthalEquidistant Centroid ClipRectangle ConicConformal
  ConicEqualArea ConicEquidistant EqualEarth Equirectangular Gnomonic Graticule10 Mercator Orthographic Path
  Stereographic Stream Transform TransverseMercator`.split(/\s+/)

/** What it takes of d3-scale-chromatic. Pictures name their colours themselves, so that no scheme is asked for. */
const ofSchemes =
  `Accent Blues BrBG BuGn BuPu Category10 Cividis Cool CubehelixDefault Dark2 GnBu Greens Greys Inferno Magma
  Observable10 OrRd Oranges PRGn Paired Pastel1 Pastel2 PiYG Plasma PuBu PuBuGn PuOr PuRd Purples Rainbow RdBu RdGy RdPu
  RdYlBu RdYlGn Reds Set1 Set2 Set3 Sinebow Spectral Tableau10 Turbo Viridis Warm YlGn YlGnBu YlOrBr YlOrRd`.split(
    /\s+/,
  )

/** What it takes of its own legends: pictures say in words what their colours mean. */
const ofLegends = [
  'export const createLegends = () => []',
  'export const exposeLegends = () => () => undefined',
  'export const legend = undefined',
]

/** @param contents the modules that are left out, and what stands for each */
const without = (contents) => ({
  name: 'without',
  setup(bundler) {
    const filter = new RegExp(`^(${Object.keys(contents).join('|')})$`)
    bundler.onResolve({ filter }, ({ path }) => ({ path, namespace: 'without', sideEffects: false }))
    bundler.onLoad({ filter: /./, namespace: 'without' }, ({ path }) => ({ contents: contents[path].join('\n') }))
  },
})

/** The page as text. Where a log may be put in is marked by `<!--logs-->`. */
export async function buildPage() {
  return (await bundlePage()).page
}

/** The page, and the packages of others that it holds. */
export async function bundlePage() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here,
    entryPoints: [
      { in: 'src/page/main.tsx', out: 'page' },
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
  // What would end the element early is spelled otherwise.
  const script = textOf('page.js').trimEnd().replaceAll('</script', '<\\/script')
  const style = `${readFileSync(join(here, 'node_modules/uplot/dist/uPlot.min.css'), 'utf8').trim()}\n${textOf('style.css').trim()}`
  const sha256 = (text) => createHash('sha256').update(text).digest('base64')
  // Nothing runs but this script: strings from a log are inert even where a mistake let them become markup.
  const policy = `default-src 'none'; script-src 'sha256-${sha256(script)}'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'`
  const packages = thirdParty(bundledFrom(here, metafile))
  // An exported page goes to others by itself, and takes the licences along.
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
