// Simulates small runs under the papers' policies, on synthetic workloads, in every build. The viewer shows each run on
// the page of the paper.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type AnyPolicy, type GivenSpec, run } from '@cloister/run'
import { nodeServices } from '@cloister/run/node'
import { embeddedIds } from '@cloister/viewer'
import { Effect } from 'effect'
import { runBlock } from './links.ts'

interface PaperRun {
  readonly what: string
  readonly spec: GivenSpec & { readonly policy: string }
}

const isolated = { trace: 'synth:16:400:3', topology: 'radix:10', queue: 'easy:50' }
const communicating = {
  trace: 'synth:10:400:3',
  topology: 'pgft:2;16,8;1,4;1,1',
  queue: 'easy:50',
  communication: '90%:recursive-doubling:50%',
}
const MOST_RANKS = 24

/** Run on the page of each paper, by the name of the page. */
const paperRuns: Readonly<Record<string, PaperRun>> = {
  jigsaw: { what: '400 jobs on 250 nodes under Jigsaw', spec: { ...isolated, policy: 'jigsaw' } },
  pollard: { what: '400 jobs on 250 nodes under TA', spec: { ...isolated, policy: 'ta' } },
  mosaic: { what: '400 jobs on 250 nodes under Mosaic', spec: { ...isolated, policy: 'mosaic' } },
  pascual: {
    what: '400 jobs on 256 nodes, contiguous, first come, first served',
    spec: { ...isolated, topology: 'kary:4:4', queue: 'fcfs', policy: 'contiguous' },
  },
  mishra: {
    what: '400 jobs on 128 nodes, nine tenths of which communicate, under Adaptive',
    spec: { ...communicating, policy: 'adaptive' },
  },
  combal: {
    what: '400 jobs on 128 nodes, nine tenths of which communicate by a matrix, under Combal',
    spec: { ...communicating, policy: 'combal' },
  },
  'packing-rules': {
    what: "400 jobs on 250 nodes under Kueue's algorithms",
    spec: { ...isolated, policy: 'kueue-tas' },
  },
}

/** Folder of the simulated runs on the site, beside the pages of the papers. */
const RUNS = 'papers/runs'

/** Returns a paper's page with the block of its run before the first section. Pages without a run stay unchanged. */
export function withRun(path: string, markdown: string): string {
  const name = path.replace(/^papers\//, '')
  const shown = path === name ? undefined : paperRuns[name]
  if (shown === undefined) return markdown
  const block = runBlock(name, shown.what)
  const at = markdown.indexOf('\n## ') + 1
  return at === 0 ? `${markdown}\n${block}` : markdown.slice(0, at) + block + markdown.slice(at)
}

/** Simulates the runs of the papers' pages into files of a site. @param scratch folder for the traffic matrices */
export async function writePaperRuns(root: string, site: string, scratch: string): Promise<void> {
  const matrices = writeMatrices(scratch)
  for (const [name, { what, spec }] of Object.entries(paperRuns)) {
    const whole = spec.policy === 'combal' ? { ...spec, matrices } : spec
    writeRun(site, name, what, await logOf(root, whole))
  }
}

/** Writes the page of a run. @param name name of the page's file @param what description of the run */
export function writeRun(site: string, name: string, what: string, log: Uint8Array): void {
  const file = join(site, RUNS, `${name}.html`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, runPage(what, log))
}

/** Simulates a run under a policy of packages/policies, and returns the log. */
export async function logOf(root: string, spec: PaperRun['spec']): Promise<Uint8Array> {
  const entry = pathToFileURL(join(root, 'packages/policies', spec.policy, 'src/index.ts')).href
  const { default: policy } = (await import(entry)) as { readonly default: AnyPolicy }
  const log: Array<Uint8Array> = []
  const program = run(spec, { sink: (chunk) => log.push(chunk) })
  await Effect.runPromise(program.pipe(Effect.provide(nodeServices({ policies: [policy] }))))
  return Buffer.concat(log)
}

/**
 * Writes a traffic matrix for each job size from 2 to 24; returns the paths, joined by commas. Two ranks with even
 * numbers, or with odd numbers, send each other 50 times as much as other ranks.
 */
function writeMatrices(folder: string): string {
  mkdirSync(folder, { recursive: true })
  const sizes = Array.from({ length: MOST_RANKS - 1 }, (_, at) => at + 2)
  const files = sizes.map((ranks) => {
    const all = Array.from({ length: ranks }, (_, rank) => rank)
    const bytes = (a: number, b: number): number => (a === b ? 0 : a % 2 === b % 2 ? 400_000 : 8000)
    const file = join(folder, `${ranks}-ranks.txt`)
    writeFileSync(file, all.map((a) => `${all.map((b) => bytes(a, b)).join(' ')}\n`).join(''))
    return file
  })
  return files.join(',')
}

/**
 * Returns the page of a run. The page fetches the viewer's page, which all runs share, and puts the log into it. The
 * viewer gets the appearance of the site, which VitePress stores, and the state in the page's address.
 */
function runPage(what: string, log: Uint8Array): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${what}</title>
<p>Reading the run …</p>
<script type="application/octet-stream" id="log">${gzipSync(log, { level: 9 }).toString('base64')}</script>
<script type="module">
const viewer = await (await fetch('../../playground/viewer.html')).text()
const [before, after] = viewer.split('<!--logs-->')
const log = '<script type="application/octet-stream" id="${embeddedIds.a}">' + document.getElementById('log').textContent + '</' + 'script>'
const rest = after.replace('./pictures.js', new URL('../../playground/pictures.js', location.href).href)
const page = URL.createObjectURL(new Blob([before, log, rest], { type: 'text/html' }))
const theme = localStorage.getItem('vitepress-theme-appearance')
const state = new URLSearchParams(location.hash.slice(1))
if (theme === 'dark' || theme === 'light') state.set('theme', theme)
location.replace(page + '#' + state)
</script>
</html>
`
}
