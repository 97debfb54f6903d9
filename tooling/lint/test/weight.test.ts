// The bundles of some imports stay below their limits, and docs/packages.md has their sizes.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { bundle, entries, type Entry, entryName, excessOf, weigh, type Weight } from '../bundles.ts'

const weights = new Map<Entry, Weight>()

beforeAll(async () => {
  for (const entry of entries) weights.set(entry, await weigh(entry))
})

const named = entries.map((entry) => [entryName(entry), entry] as const)

test.each(named)('a bundle of %s is below its limit', (_, entry) => {
  expect(excessOf(entry, weights.get(entry)!)).toBeUndefined()
})

const ofEffect = ({ modules }: Weight) => modules.filter(([path, size]) => path.startsWith('effect/') && size > 0)

test.each(named)('a bundle of %s has modules of Effect only if bundles.ts says so', (_, entry) => {
  if (entry.hasEffect) expect(ofEffect(weights.get(entry)!)).not.toEqual([])
  else expect(ofEffect(weights.get(entry)!)).toEqual([])
})

const policies = readdirSync(new URL('../../../packages/policies', import.meta.url)).map((name) => `policies/${name}`)

test.each(['audit', 'kernel', 'replay', 'isolation', ...policies])(
  'a bundle of %s has no module of Effect',
  async (folder) => {
    expect(ofEffect(await weigh({ folder }))).toEqual([])
  },
)

test('a bundle above its limit is refused with its size, its limit and its largest modules', async () => {
  const entry: Entry = { folder: 'eventlog', names: ['recordSchemas'], limit: 10, hasEffect: true }
  const message = excessOf(entry, await weigh(entry))
  expect(message).toMatch(/^a bundle of recordSchemas of eventlog has \d+\.\d kB, the limit in bundles\.ts is 10 kB;/)
  expect(message).toMatch(/\n {2}\d+\.\d kB effect\/dist\/SchemaAST\.js\n/)
})

test('the table in docs/packages.md has the limits, and the sizes up to a tenth', () => {
  const page = readFileSync(new URL('../../../docs/packages.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([^|]+)` of `([^|]+)` \| (\d+) kB \| (\d+) kB \| (\d+) kB \|$/gm)]
  const measured = entries.map((entry) => weights.get(entry)!)
  expect(rows.map(([, names, folder, , , limit]) => [`${names} of ${folder}`, Number(limit)])).toEqual(
    entries.map((entry) => [entryName(entry), entry.limit]),
  )
  const isClose = (written: string, size: number) => Math.abs(Number(written) - size) <= Math.max(size / 10, 1)
  for (const [at, [row, , , minified, gzipped]] of rows.entries())
    expect(
      isClose(minified, measured[at].minified) && isClose(gzipped, measured[at].gzipped),
      `${row} is now ${Math.round(measured[at].minified)} kB, ${Math.round(measured[at].gzipped)} kB`,
    ).toBe(true)
})

test.each([
  [
    'the smallest schema of Effect that reads a value has',
    "import * as Schema from 'effect/Schema'\nconsole.log(Schema.decodeUnknownResult(Schema.String))",
  ],
  [
    'comes from `@valibot/to-json-schema`',
    "import { toJsonSchema } from '@valibot/to-json-schema'\nconsole.log(toJsonSchema)",
  ],
])('docs/packages.md has the size of the bundle after "%s", up to a tenth', async (words, code) => {
  const page = readFileSync(new URL('../../../docs/packages.md', import.meta.url), 'utf8')
  const run = fileURLToPath(new URL('../../../packages/run', import.meta.url))
  const { outputFiles } = await bundle(code, run)
  const written = Number(/^\W*(\d+) kB/.exec(page.slice(page.indexOf(words) + words.length))![1])
  expect(Math.abs(outputFiles[0].contents.length / 1000 - written)).toBeLessThan(written / 10)
})
