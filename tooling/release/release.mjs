// npm run release -- --dry-run [--as-is] [--repository URL] [--keep DIR]: a release to a temporary registry.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { publint } from 'publint'
import { policyOfSomebody } from './author.mjs'
import { problemsOf } from './check.mjs'
import { clientsHere, compileIn, compilers, installInto } from './clients.mjs'
import { commandIn } from './command.mjs'
import { publish, startRegistry } from './local-registry.mjs'
import { publishedPackages, repositoryOf, unreleasable } from './published.mjs'
import { withBundled } from './sbom.mjs'
import { completeDocuments } from './stage.mjs'

const usage = `npm run release -- --dry-run [--as-is] [--repository URL] [--keep DIR]
  --dry-run     nothing leaves this machine: packages are published to a registry on loopback that ends with the command
  --as-is       the packages as built and packed in this folder, without new versions
  --repository  page of the repository; a package.json with another address is refused, because provenance needs the address
  --keep        a folder for the tested tarballs and the SBOM`
const options = {
  'dry-run': { type: 'boolean', default: false },
  'as-is': { type: 'boolean', default: false },
  repository: { type: 'string' },
  keep: { type: 'string' },
}
const root = resolve(import.meta.dirname, '../..')
const work = mkdtempSync(join(tmpdir(), 'cloister-release-'))
const say = (text) => console.log(text)

/** Returns a separate checkout of this commit with new versions and tarballs, or for `asIs` this folder. */
function workspaceOf(asIs) {
  if (asIs) return root
  if (commandIn(root, 'git status --porcelain') !== '')
    throw new Error('there are uncommitted changes: a release is made from a commit')
  const checkout = join(work, 'cloister')
  commandIn(root, `git worktree add --detach ${JSON.stringify(checkout)} HEAD`)
  commandIn(checkout, 'pnpm install --frozen-lockfile --prefer-offline')
  if (unreleasable(checkout).length > 0) commandIn(checkout, 'pnpm run release:version')
  const problems = unreleasable(checkout)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  say('versions: made from all changesets')
  commandIn(checkout, 'pnpm install --no-frozen-lockfile --prefer-offline')
  commandIn(checkout, 'pnpm run release:pack --ui=stream')
  return checkout
}

/** Returns the tarballs of packages, with absolute links in their documents. @throws Error on any problem */
async function tarballs(workspace, packages, isVersioned) {
  const repository = repositoryOf(workspace)
  const folder = join(work, 'tarballs')
  mkdirSync(folder)
  const made = []
  for (const { folder: source, name, version } of packages) {
    const into = join(work, 'unpacked', basename(source))
    mkdirSync(into, { recursive: true })
    commandIn(into, `tar -xzf ${JSON.stringify(join(workspace, source, 'package.tgz'))}`)
    const unpacked = join(into, 'package')
    const place = { repository, folder: source }
    completeDocuments(unpacked, place)
    const file = join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
    commandIn(into, `tar -czf ${JSON.stringify(file)} package`)
    const { messages } = await publint({ pkgDir: unpacked, strict: true, pack: false })
    const problems = [
      ...problemsOf(unpacked, { isVersioned, ...place }),
      ...messages.map(({ code }) => `publint says ${code}`),
    ]
    made.push({ name, version, file, problems })
  }
  const wrong = made.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  const bytes = made.reduce((sum, { file }) => sum + statSync(file).size, 0)
  say(`packed and checked: ${made.length} packages, ${Math.round(bytes / 1000)} kB`)
  return made
}

function compileEverywhere(folder, packages) {
  const ran = compileIn(folder, packages)
  for (const { typescript, resolution, ours, others } of ran)
    say(`${typescript}, ${resolution}: ${ours.length} errors, and ${others} in packages of third parties`)
  const wrong = ran.flatMap(({ ours }) => ours)
  if (wrong.length > 0) throw new Error(wrong.slice(0, 20).join('\n'))
}

/** Writes the SBOM (CycloneDX) of the packages installed in a folder, and of third-party packages in bundles. */
function writeSbom(folder, file) {
  const sbom = JSON.parse(commandIn(folder, 'npm sbom --sbom-format cyclonedx --omit dev'))
  const bundles = ['cloister', '@cloister/sweep-postgres'].map((name) => join(folder, 'node_modules', name, 'dist'))
  const notices = bundles.map((dist) => readFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), 'utf8')).join('\n')
  writeFileSync(file, `${JSON.stringify(withBundled(sbom, notices), null, 2)}\n`)
}

async function dryRun({ 'as-is': asIs, repository = repositoryOf(root), keep }) {
  if (repository !== repositoryOf(root))
    throw new Error(
      `package.json names the repository ${repositoryOf(root)}: npm run pnpm -- run release:repository ${repository} writes the address into every package.json`,
    )
  const workspace = workspaceOf(asIs)
  const packages = publishedPackages(workspace)
  const made = await tarballs(workspace, packages, !asIs)
  const ours = ['@cloister/*', 'cloister', 'cloister-policy-*', 'create-cloister-policy']
  const registry = await startRegistry(join(work, 'registry'), ours)
  try {
    for (const { file } of made) publish(registry.url, work, JSON.stringify(file))
    say(`published: ${made.length} packages, to ${registry.url}`)
    const { effect, vitest, '@types/node': node } = rangesOf(workspace)
    const beside = { effect, vitest, '@types/node': node, ...compilers }
    const clients = clientsHere()
    if (clients.every(({ name }) => name !== 'bun'))
      say('bun was not tried: no bun is installed, and CLOISTER_BUN names none')
    for (const client of clients) {
      const folder = join(work, client.name)
      installInto(folder, client, registry.url, packages, beside)
      say(
        `${client.name}: installed, ${commandIn(folder, 'node node_modules/cloister/dist/cloister.js --version').trim()}`,
      )
    }
    compileEverywhere(join(work, 'npm'), packages)
    writeSbom(join(work, 'npm'), join(work, 'tarballs/sbom.cdx.json'))
    const { version } = packages.find(({ name }) => name === 'cloister')
    for (const client of clients)
      say(
        `${client.name}: made, published and used the policy ${await policyOfSomebody(work, client, registry.url, version)}`,
      )
  } finally {
    registry.stop()
  }
  if (keep !== undefined)
    cpSync(join(work, 'tarballs'), resolve(process.env.INIT_CWD ?? '.', keep), { recursive: true })
  say('packages were published only to a registry on loopback, and this registry has ended')
}

function rangesOf(workspace) {
  const catalog = readFileSync(join(workspace, 'pnpm-workspace.yaml'), 'utf8')
  return Object.fromEntries(
    ['effect', 'vitest', '@types/node'].map((name) => [
      name,
      new RegExp(`^  "?${name}"?: (.+)$`, 'm').exec(catalog)[1],
    ]),
  )
}

try {
  const { values } = parseArgs({ options })
  if (values['dry-run']) await dryRun(values)
  else {
    const problems = unreleasable(root)
    if (repositoryOf(root).startsWith('https://example.org/'))
      problems.push(
        'package.json names no public repository: npm run pnpm -- run release:repository URL writes its address',
      )
    if (problems.length > 0) throw new Error(problems.join('\n'))
    say('every package has a version: --dry-run --keep DIR tries the release, and keeps the tested tarballs')
  }
} catch (error) {
  console.error(`release: ${error.code?.startsWith('ERR_PARSE_ARGS') ? `${error.message}\n${usage}` : error.message}`)
  process.exitCode = 1
} finally {
  commandIn(root, `git worktree remove --force ${JSON.stringify(join(work, 'cloister'))}`, { mayFail: true })
  rmSync(work, { recursive: true, force: true })
}
