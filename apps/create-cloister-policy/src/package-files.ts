import { createHash } from 'node:crypto'
import { pythonFiles } from './python-files.ts'
import { type Kind, policyFiles, type Template, titleOf } from './policy-files.ts'

/** Version ranges for the package.json of a new package, by the name of the dependency. */
export type Ranges = Readonly<Record<string, string>>

/** Changes of the contract in one release: a section of the changelog of the package with the contract's types. */
export interface Release {
  readonly version: string
  readonly text: string
}

/** Contents of material.json: templates, versions and names that the build collects from the workspace. */
export interface Material {
  readonly templates: Readonly<Record<string, Template>>
  readonly ranges: Ranges
  /** Version of this program. */
  readonly version: string
  /** Ranges of all packages of Cloister, by name. */
  readonly versions: Ranges
  /** Releases of the contract of policies and routers, and of the contract of orders; the newest release first. */
  readonly changes: Readonly<Record<'policy' | 'order', ReadonlyArray<Release>>>
  readonly licence: string
  /** Names of the policies, routers and orders built into cloister, which a new package cannot have. */
  readonly builtIn: Readonly<Record<Kind, ReadonlyArray<string>>>
}

/** Returns the name of a package that is not part of Cloister: `cloister-policy-NAME`, `cloister-router-NAME` or
 * `cloister-order-NAME`. */
export function packageOf(name: string, kind: Kind = 'policy'): string {
  return `cloister-${kind}-${name}`
}

/** File of a new package that records the template for `cloister-policy update`. */
export const RECORD = '.cloister-policy.json'

/** Contents of the file RECORD. */
export interface TemplateRecord {
  /** Key of the template. */
  readonly template: string
  /** Name of the policy, router or order in the template's files. */
  readonly name: string
  /** Version of this program. */
  readonly version: string
  /** Version of the package with the types of the contract. */
  readonly contract: string
  /** SHA-256 of the texts of the template's files, by path. Code and tests of the author are not among these files. */
  readonly files: Ranges
}

/** Returns the texts of all files of a new standalone package, and the record of the template. */
export function filesAndRecord(
  material: Material,
  template: string,
  name: string,
): { readonly files: Ranges; readonly record: TemplateRecord } {
  const { kind, test } = material.templates[template]
  const files = packageFiles(material, material.templates[template], name)
  const isOfAuthor = (file: string): boolean =>
    /^(package\.json$|policy\.py$|src\/)/.test(file) || (test !== undefined && file.startsWith('test/'))
  const owned = Object.entries(files).filter(([file]) => !isOfAuthor(file))
  const contract = material.versions[kind === 'order' ? '@cloister/ordering' : '@cloister/placement'].replace('^', '')
  const hashes = Object.fromEntries(owned.map(([file, text]) => [file, sha256Of(text)]))
  const record = { template, name, version: material.version, contract, files: hashes }
  return { files: { ...files, [RECORD]: json(record) }, record }
}

/** Returns the texts of all files of a new standalone package, by the path of the file. */
export function packageFiles(
  { ranges, licence }: Pick<Material, 'ranges' | 'licence'>,
  template: Template,
  name: string,
): Readonly<Record<string, string>> {
  const { kind = 'policy' } = template
  if (template.kit !== undefined) return pythonFiles({ ranges, licence }, template, template.kit, name)
  const packageName = packageOf(name, kind)
  const { 'README.md': readme, ...files } = policyFiles(template, { name, packageName, version: '0.1.0' })
  return {
    'package.json': json(manifestOf(name, kind, ranges)),
    'tsconfig.json': json(forEditing),
    'tsconfig.build.json': json(forBuilding),
    ...files,
    'write-version.mjs': writeVersion,
    'README.md': `${readme}${howToUse(name, kind)}`,
    LICENSE: licence,
    '.gitignore': 'node_modules/\ndist/\n*.tgz\n',
    '.github/workflows/test.yml': workflowOf(kind),
  }
}

/** Returns the SHA-256 of a text, in hexadecimal digits. */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function manifestOf(name: string, kind: Kind, ranges: Ranges): object {
  const chosen = (...names: ReadonlyArray<string>): Ranges =>
    Object.fromEntries(names.map((each) => [each, ranges[each]]))
  return {
    name: packageOf(name, kind),
    version: '0.1.0',
    description: `${titleOf(name)}: describe the ${kind} in one line`,
    keywords: ['cloister', `cloister-${kind}`, keywords[kind], 'scheduling', 'fat-tree'],
    license: 'Apache-2.0',
    type: 'module',
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
    files: ['dist'],
    scripts: {
      build: 'tsc -p tsconfig.build.json',
      typecheck: 'tsc -p .',
      test: 'vitest run',
      watch: 'vitest',
      ...(kind !== 'order' && { fuzz: `cloister fuzz --${kind} ./src/index.ts` }),
      // A log names the version, but a policy, router or order reads no files, so `npm version` writes it into a source file.
      version: 'node write-version.mjs',
      prepack: 'npm run build',
    },
    dependencies: chosen(...dependencies[kind]),
    devDependencies: chosen('@types/node', 'cloister', 'typescript', 'vitest'),
    engines: { node: '>=22.15' },
  }
}

const dependencies: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  policy: ['@cloister/placement', '@cloister/topology', 'valibot'],
  router: ['@cloister/placement', '@cloister/topology'],
  order: ['@cloister/ordering'],
}
const keywords: Readonly<Record<Kind, string>> = { policy: 'placement-policy', router: 'routing', order: 'queue-order' }

const forEditing = {
  compilerOptions: {
    target: 'ES2024',
    lib: ['ES2024'],
    types: ['node'],
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['src', 'test'],
}

const forBuilding = {
  extends: './tsconfig.json',
  compilerOptions: { noEmit: false, declaration: true, rootDir: 'src', outDir: 'dist' },
  include: ['src'],
}

const writeVersion = `// Writes the version of the package into a source file; \`npm version\` runs this script.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
writeFileSync('src/version.ts', \`export const version = '\${version}'\\n\`)
spawnSync('git', ['add', 'src/version.ts'])
`

const workflowOf = (kind: Kind): string => `name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
      - run: npm install
      - run: npm run typecheck
      - run: npm test
${kind === 'order' ? '' : '      - run: npm run fuzz -- --runs 300\n'}      - run: npm run build
`

function howToUse(name: string, kind: Kind): string {
  // Every policy serves an order, and a router that shares links; Baseline is the fastest.
  const choice = kind === 'policy' ? `--policy ${name}` : `--policy baseline --${kind} ${name}`
  return `
## Use it

\`\`\`sh
npm install cloister ${packageOf(name, kind)}
npx cloister simulate --trace synth:16 --topology radix:16 ${choice} --queue easy:50 --out run.ndjson
npx cloister metrics run.ndjson
\`\`\`

## Work on it

| command | effect |
|---|---|
| \`npm test\` | tests of all claims of the ${kind}, on random histories; \`npm run watch\`: again after each saved file |
${kind === 'order' ? ofOrders : ofFuzzing(kind)}${kind === 'policy' ? ofDecisions : ''}| \`npx -p create-cloister-policy@latest cloister-policy update\` | newest contract: new version ranges, files of the template that you have not changed, and a list of the contract's changes; \`--dry-run\` writes nothing |
| \`npm version minor && npm publish\` | release: writes the version into the source, for logs, and builds the package |
`
}

const ofOrders = `| \`npx cloister simulate --trace synth:16 --topology radix:16 --policy baseline --order ./src/index.ts --out run.ndjson\` | a run under the order, with a log for \`metrics\` and \`view\` |\n`

const ofFuzzing = (
  kind: Kind,
): string => `| \`npm run fuzz\` | random machines, jobs, queues and failures, with the auditor on every log |
| \`npx cloister minimise … --${kind} ./src/index.ts\` | search for the smallest run with a fault |
`

const ofDecisions = `| \`npx cloister extract run.ndjson --record SEQ --policy ./src/index.ts --out test/seq.test.ts\` | a test that repeats one decision of a log |\n`

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
