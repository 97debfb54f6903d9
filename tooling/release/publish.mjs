// node tooling/release/publish.mjs DIR [--provenance]: publishes the tarballs of DIR that the registry does not have.
// Imports no dependency, because the job of CI with the right to publish installs none.
import { globSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { commandIn } from './command.mjs'

const [folder = '.', ...others] = process.argv.slice(2)

/** Returns the name and the version of a tarball, such as `@cloister/run@1.0.0`. */
function specOf(file) {
  const { name, version } = JSON.parse(commandIn(folder, `tar -xzOf ${JSON.stringify(file)} package/package.json`))
  return `${name}@${version}`
}

/** Returns true if the registry has a version of a package. @throws Error if the registry gives no answer */
function isPublished(spec) {
  const said = commandIn(folder, `npm view ${spec} version --json`, { mayFail: true }).trim()
  const answer = said === '' ? '' : JSON.parse(said)
  if (answer.error !== undefined && answer.error.code !== 'E404')
    throw new Error(`the registry does not say if it has ${spec}: ${answer.error.summary}`)
  return typeof answer === 'string' && answer !== ''
}

/**
 * Returns the variable with the path of a new configuration of npm, in which npm finds the variable NPM_TOKEN. Without a
 * token npm asks CI for an identity.
 */
function configuration() {
  if (!process.env.NPM_TOKEN) return {}
  const registry = commandIn(folder, 'npm config get registry').trim()
  const file = join(mkdtempSync(join(tmpdir(), 'cloister-publish-')), 'npmrc')
  const { host, pathname } = new URL(registry)
  writeFileSync(file, `registry=${registry}\n//${host}${pathname}:_authToken=\${NPM_TOKEN}\n`)
  return { NPM_CONFIG_USERCONFIG: file }
}

try {
  const files = globSync('*.tgz', { cwd: folder }).sort()
  if (files.length === 0) throw new Error(`${resolve(folder)} has no tarball; npm run release -- --keep DIR makes some`)
  const env = configuration()
  const isSigned = others.includes('--provenance')
  for (const file of files) {
    const spec = specOf(file)
    if (isPublished(spec)) console.log(`${spec} is published already`)
    else {
      const options = `--access public --ignore-scripts ${isSigned ? '--provenance' : '--provenance=false'}`
      commandIn(folder, `npm publish ${JSON.stringify(`./${file}`)} ${options}`, { env })
      console.log(`${spec} is published now`)
    }
  }
} catch (error) {
  console.error(`publish: ${error.message}`)
  process.exitCode = 1
}
