// Collects the material for new policy packages from this workspace: templates, and versions of dependencies.
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const read = (file) => readFileSync(join(root, file), 'utf8')

/** Returns the templates for new policies by name: `baseline` and `ordered`. */
export function templates() {
  const ordered = 'tooling/new-policy/ordered'
  return {
    baseline: { name: 'baseline', title: 'Baseline', source: read('packages/policies/baseline/src/index.ts') },
    ordered: {
      name: 'ordered',
      title: 'the ordered template',
      source: read(`${ordered}/src/index.ts`),
      test: read(`${ordered}/test/ordered.test.ts`),
    },
  }
}

/** Returns the template for new routers or for new queue orders. @param {'order' | 'router'} kind */
function templateOf(kind) {
  const folder = `tooling/new-policy/${kind}`
  return {
    kind,
    name: 'templated',
    title: `the ${kind} template`,
    source: read(`${folder}/src/index.ts`),
    test: read(`${folder}/test/templated.test.ts`),
  }
}

/** Returns the template for new policies in Python. */
function pythonTemplate() {
  const folder = 'packages/placement/kits/python'
  return {
    name: 'first-fit',
    title: 'First fit',
    source: read(`${folder}/first_fit.py`),
    kit: read(`${folder}/cloister.py`),
  }
}

/** Returns the templates, the licence, the version ranges for a new package, and the names of what is built in. */
export function material() {
  const published = globSync('{packages,packages/policies,apps}/*/package.json', { cwd: root })
    .sort()
    .map((file) => JSON.parse(read(file)))
    .filter((each) => each.private !== true)
  const versions = Object.fromEntries(published.map(({ name, version }) => [name, `^${version}`]))
  const catalog = read('pnpm-workspace.yaml')
  const ofOthers = ['@types/node', 'typescript', 'valibot', 'vitest'].map((name) => {
    const [, version] = new RegExp(`^  "?${name}"?: \\^?(.+)$`, 'm').exec(catalog)
    return [name, `^${version}`]
  })
  return {
    templates: { ...templates(), router: templateOf('router'), order: templateOf('order'), python: pythonTemplate() },
    ranges: { ...versions, ...Object.fromEntries(ofOthers) },
    version: versions['create-cloister-policy'].slice(1),
    versions,
    changes: { policy: releasesOf('packages/placement'), order: releasesOf('packages/ordering') },
    licence: read('LICENSE'),
    builtIn: {
      policy: readdirSync(join(root, 'packages/policies')).sort(),
      router: ['none', ...described('routerDescriptions')],
      order: described('orderDescriptions'),
    },
  }
}

/** Returns the releases in the changelog of a package, the newest first. */
function releasesOf(folder) {
  const [, ...sections] = read(`${folder}/CHANGELOG.md`).split(/^## /m)
  return sections.map((section) => {
    const [version, ...lines] = section.split('\n')
    return { version, text: lines.join('\n').trim() }
  })
}

/** Returns the names in a table of the run options. */
function described(table) {
  const [, rows] = new RegExp(`${table}[^{]*\\{\\n([^}]*)\\}`).exec(read('packages/run/src/options.ts'))
  return Array.from(rows.matchAll(/^  '?([a-z0-9-]+)'?:/gm), ([, name]) => name)
}
