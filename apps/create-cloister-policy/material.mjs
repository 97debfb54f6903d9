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

/** Returns the templates, the licence, the version ranges for a new package, and the names of the built-in policies. */
export function material() {
  const ofOurs = ['packages/placement', 'packages/topology', 'apps/cli'].map((folder) => {
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
    templates: templates(),
    ranges: { ...Object.fromEntries([...ofOurs, ...ofOthers]), ...peerDependencies },
    licence: read('LICENSE'),
    builtIn: readdirSync(join(root, 'packages/policies')).sort(),
  }
}
