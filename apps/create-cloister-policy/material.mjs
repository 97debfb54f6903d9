// Collects the material for new policy packages from this workspace: templates, and versions of dependencies.
import { readdirSync, readFileSync } from 'node:fs'
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
  const ofOurs = ['packages/ordering', 'packages/placement', 'packages/topology', 'apps/cli'].map((folder) => {
    const { name, version } = JSON.parse(read(`${folder}/package.json`))
    return [name, `^${version}`]
  })
  const { peerDependencies } = JSON.parse(read('packages/policies/baseline/package.json'))
  const catalog = read('pnpm-workspace.yaml')
  const ofOthers = ['@types/node', 'typescript', 'vitest'].map((name) => {
    const [, version] = new RegExp(`^  "?${name}"?: \\^?(.+)$`, 'm').exec(catalog)
    return [name, `^${version}`]
  })
  return {
    templates: { ...templates(), router: templateOf('router'), order: templateOf('order'), python: pythonTemplate() },
    ranges: { ...Object.fromEntries([...ofOurs, ...ofOthers]), ...peerDependencies },
    licence: read('LICENSE'),
    builtIn: {
      policy: readdirSync(join(root, 'packages/policies')).sort(),
      router: ['none', ...described('routerDescriptions')],
      order: described('orderDescriptions'),
    },
  }
}

/** Returns the names in a table of the run options. */
function described(table) {
  const [, rows] = new RegExp(`${table}[^{]*\\{\\n([^}]*)\\}`).exec(read('packages/run/src/options.ts'))
  return Array.from(rows.matchAll(/^  '?([a-z0-9-]+)'?:/gm), ([, name]) => name)
}
