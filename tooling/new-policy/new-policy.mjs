// npm run new-policy -- NAME [--template ordered]: makes packages/policies/NAME, a copy of Baseline or of the template
// `ordered`, with tests and a changeset, and adds the package to docs/packages.md, the lockfile and tooling/packed.
import { execSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { templates } from 'create-cloister-policy/material'
import { nameForm, nameProblem, policyFiles, titleOf } from 'create-cloister-policy/policy-files'

const usage = `npm run new-policy -- NAME [--template ordered], where NAME is ${nameForm}`

const packageOf = (policy) => `@cloister/policy-${policy}`

function problem(name, folder, template) {
  if (existsSync(folder)) return `${folder} is there already`
  if (!Object.hasOwn(templates(), template))
    return `there is no template ${JSON.stringify(template)}: ${Object.keys(templates()).join(', ')}`
  return undefined
}

/** Returns the files of the new package and its changeset, by path. */
function filesOf(name, folder, template) {
  const baseline = (file) => readFileSync(join('packages/policies/baseline', file), 'utf8')
  const manifest = JSON.parse(baseline('package.json').replaceAll('packages/policies/baseline', folder))
  manifest.name = packageOf(name)
  // The changeset (major) makes the first release 1.0.0.
  manifest.version = '0.0.0'
  manifest.keywords = manifest.keywords.filter((word) => word !== 'first-fit')
  manifest.description = `${titleOf(name)}: describe the policy in one line`
  const files = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'tsconfig.json': baseline('tsconfig.json'),
    ...policyFiles(template, { name, packageName: manifest.name, version: '0.0.0' }),
  }
  return {
    ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text])),
    [`.changeset/new-policy-${name}.md`]: `---\n"${manifest.name}": major\n---\n\n- Describe the policy in one sentence.\n`,
  }
}

/** Adds the package to the test in tooling/packed, which installs the tarball of every library. */
function addToPackedTest(packageName) {
  const file = 'tooling/packed/package.json'
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  const names = Object.entries({ ...manifest.devDependencies, [packageName]: 'workspace:*' }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  )
  writeFileSync(file, `${JSON.stringify({ ...manifest, devDependencies: Object.fromEntries(names) }, null, 2)}\n`)
}

function addToPackages(policy) {
  const row = /^(\| \[policies\/\*\].*) \|$/m
  const text = readFileSync('docs/packages.md', 'utf8')
  writeFileSync('docs/packages.md', text.replace(row, `$1, [${policy}](../packages/policies/${policy}) |`))
}

function refuse(reason) {
  console.error(`new-policy: ${reason}\n  ${usage}`)
  process.exit(1)
}

function given() {
  const options = { template: { type: 'string', default: 'baseline' }, help: { type: 'boolean', short: 'h' } }
  try {
    const { positionals, values } = parseArgs({ options, allowPositionals: true })
    if (values.help) {
      console.log(usage)
      process.exit(0)
    }
    return { name: positionals[0], template: values.template }
  } catch (error) {
    return refuse(error.message)
  }
}

const { name, template } = given()
const folder = `packages/policies/${name}`
const wrong = nameProblem(name, packageOf) ?? problem(name, folder, template)
if (wrong !== undefined) refuse(wrong)
const files = filesOf(name, folder, templates()[template])
for (const [file, text] of Object.entries(files)) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
addToPackedTest(packageOf(name))
addToPackages(name)
execSync('pnpm install --no-frozen-lockfile --prefer-offline', { stdio: ['ignore', 'ignore', 'inherit'] })
console.log(`Made ${folder}, a copy of ${templates()[template].title} under a new name:
${Object.keys(files)
  .map((file) => `  ${file}`)
  .join('\n')}
The tests of the package pass. Change the policy, and run the tests after each change:
  npm run pnpm -- --filter @cloister/policy-${name} test
Build, types, tests and published files together:
  npm test -- --filter=@cloister/policy-${name}
The policy is built in from now on:
  npm run cloister -- simulate --trace synth:16 --topology radix:16 --policy ${name} --queue easy:50 --out ${name}.ndjson`)
