// npm run new-policy -- NAME [--template ordered]: a new policy package that starts as a copy of Baseline, or of one with an option and an
// order of leaves; with its tests, its changeset, and the lockfile.
import { execSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { Script } from 'node:vm'

const usage =
  'npm run new-policy -- NAME [--template ordered], where NAME is lower-case words and digits joined by -, as in first-fit'

/** What a new policy may start as: the folder that is copied, and what it is called there. */
const templates = {
  baseline: { folder: 'packages/policies/baseline', name: 'baseline', title: 'Baseline' },
  ordered: { folder: 'tooling/new-policy/ordered', name: 'ordered', title: 'the ordered template' },
}
const baseline = (file) => readFileSync(join(templates.baseline.folder, file), 'utf8')

/** Why there can be no policy of this name, if so. */
function problem(name, folder, template) {
  if (name === undefined) return 'which name?'
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40)
    return `${JSON.stringify(name)} cannot be the name of a policy`
  if (name.startsWith('policy-'))
    return `leave out policy-: the package of ${name.slice('policy-'.length)} will be @cloister/${name}`
  if (!isIdentifier(camelCase(name))) return `${name} is a word of the language: a policy is exported under its name`
  if (existsSync(folder)) return `${folder} is there already`
  if (!Object.hasOwn(templates, template))
    return `there is no template ${JSON.stringify(template)}: ${Object.keys(templates).join(', ')}`
  return undefined
}

const camelCase = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())

function isIdentifier(word) {
  try {
    new Script(`'use strict'; const ${word} = 0`)
    return true
  } catch {
    return false
  }
}

/** The files of the new package and its changeset, by path. */
function filesOf(name, folder, template) {
  const exported = camelCase(name)
  const title = name[0].toUpperCase() + name.slice(1).replaceAll('-', ' ')
  const manifest = JSON.parse(baseline('package.json'))
  manifest.name = `@cloister/policy-${name}`
  // The changeset makes the first release 1.0.0.
  manifest.version = '0.0.0'
  manifest.description = `${title}: say in one line what it does`
  return {
    [`${folder}/package.json`]: `${JSON.stringify(manifest, null, 2)}\n`,
    [`${folder}/tsconfig.json`]: baseline('tsconfig.json'),
    [`${folder}/src/version.ts`]: `export const version = '0.0.0'\n`,
    [`${folder}/src/index.ts`]: renamed(readFileSync(join(template.folder, 'src/index.ts'), 'utf8'), template, name),
    [`${folder}/test/${name}.test.ts`]:
      template === templates.baseline
        ? `import { policySuite } from '@cloister/placement/testing'\nimport { ${exported} } from '../src/index.ts'\n\npolicySuite(${exported})\n`
        : renamed(readFileSync(join(template.folder, `test/${template.name}.test.ts`), 'utf8'), template, name),
    [`${folder}/README.md`]: `# ${manifest.name}

Say here what the policy does, which paper it comes from, and what it promises.

\`\`\`ts
import { ${exported} } from '${manifest.name}'

console.log(${exported}.name)
\`\`\`
\`\`\`output
${name}
\`\`\`
`,
    [`.changeset/new-policy-${name}.md`]: `---\n"${manifest.name}": major\n---\n\nFirst release: say in a sentence what the policy does.\n`,
  }
}

/** A template's source under the new name. */
function renamed(source, template, name) {
  const title = name[0].toUpperCase() + name.slice(1).replaceAll('-', ' ')
  return source
    .replace(`'${template.name}'`, `'${name}'`)
    .replaceAll(new RegExp(`\\b${template.name}\\b`, 'g'), camelCase(name))
    .replaceAll(new RegExp(`\\b${template.title}\\b`, 'g'), title)
}

/** The test of the packed tarballs installs every library. */
function addToPackedTest(packageName) {
  const file = 'tooling/packed/package.json'
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  const names = Object.entries({ ...manifest.devDependencies, [packageName]: 'workspace:*' }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  writeFileSync(file, `${JSON.stringify({ ...manifest, devDependencies: Object.fromEntries(names) }, null, 2)}\n`)
}

function refuse(reason) {
  console.error(`new-policy: ${reason}\n  ${usage}`)
  process.exit(1)
}

function given() {
  const options = { template: { type: 'string', default: 'baseline' } }
  try {
    const { positionals, values } = parseArgs({ options, allowPositionals: true })
    return { name: positionals[0], template: values.template }
  } catch (error) {
    return refuse(error.message)
  }
}

const { name, template } = given()
const folder = `packages/policies/${name}`
const wrong = problem(name, folder, template)
if (wrong !== undefined) refuse(wrong)
const files = filesOf(name, folder, templates[template])
for (const [file, text] of Object.entries(files)) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
addToPackedTest(`@cloister/policy-${name}`)
execSync('pnpm install --no-frozen-lockfile --prefer-offline', { stdio: ['ignore', 'ignore', 'inherit'] })
console.log(`Made ${folder}, a copy of ${templates[template].title} under a name of its own:
${Object.keys(files)
  .map((file) => `  ${file}`)
  .join('\n')}
Its tests pass; make it yours, and run them as you go:
  npm run pnpm -- --filter @cloister/policy-${name} test
It is built in from now on:
  npm run cloister -- simulate --trace synth:16 --topology radix:16 --policy ${name} --queue easy:50 --out ${name}.ndjson`)
