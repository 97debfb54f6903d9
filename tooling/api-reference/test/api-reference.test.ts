import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { type ApiEntry, type ApiPage, apiPages } from '../src/api-reference.ts'
import { withOwnIds, withoutLostLinks } from '../src/headings.ts'

const root = mkdtempSync(join(tmpdir(), 'cloister-api-'))
afterAll(() => rmSync(root, { recursive: true }))

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

write(
  'tsconfig.base.json',
  JSON.stringify({ compilerOptions: { module: 'NodeNext', strict: true, allowImportingTsExtensions: true } }),
)
write(
  'packages/a/src/index.ts',
  `export type { Depth } from './node/index.ts'
/** A tree: see {@link grow}. Its leaves | twigs are ids. */
export interface Tree { readonly size: number }
/**
 * Grows a tree.
 *
 * It takes years.
 *
 * @param leaves how many, at least 1
 * @returns the tree
 * @throws RangeError where there are no leaves
 */
export function grow<Id>({ size }: Tree, leaves: Id, then: { readonly tree: { readonly tree: 1 } } = { tree: { tree: 1 } }): Tree { return { size } }
/** A wood. */
export class Wood extends Error { readonly #hidden = 1; private mine = 2
  /** Its trees. */
  readonly tree: Tree = { size: 1 } }
export default grow
`,
)
write('packages/a/src/node/index.ts', '/** In metres. */\nexport type Depth = number\n')

const entries = [
  { specifier: '@x/a', source: join(root, 'packages/a/src/index.ts') },
  { specifier: '@x/a/node', source: join(root, 'packages/a/src/node/index.ts') },
]
/** Number of calls of apiPages. TypeDoc reads a configuration only once, so each call has a separate folder. */
let makings = 0
const made = (repository?: string, more: ReadonlyArray<ApiEntry> = []): Promise<ReadonlyArray<ApiPage>> =>
  apiPages({ root, entries: [...entries, ...more], repository, scratch: join(root, `scratch-${++makings}`) })

test('apiPages returns a page for each module with the exported names, and a page that lists all modules', async () => {
  const pages = await made()
  expect(pages.map(({ path, specifier }) => [path, specifier])).toEqual([
    ['index', undefined],
    ['a', '@x/a'],
    ['a/node', '@x/a/node'],
  ])
  const [all, a] = pages
  expect(all.markdown).toMatch(/^# The TypeScript API\n[^]*- \[@x\/a\/node\]\(a\/node\.md\)/)
  expect(a.names).toEqual([
    { name: 'Depth', about: '`Depth` of `@x/a/node`', link: 'a.md#depth' },
    { name: 'grow', about: 'Grows a tree.', link: 'a.md#grow' },
    { name: 'Tree', about: 'A tree: see `grow`. Its leaves | twigs are ids.', link: 'a.md#tree' },
    { name: 'Wood', about: 'A wood.', link: 'a.md#wood' },
  ])
})

test('a page of the TypeScript API has declarations, docstrings and errors, but no private names or absolute paths', async () => {
  const [, { markdown }] = await made()
  expect(markdown).toMatch(/^# @x\/a\n/)
  expect(markdown).toContain('function grow<Id>(')
  expect(markdown).toContain('   tree: Tree, \n')
  expect(markdown).toContain('A tree: see [grow](#grow).')
  expect(markdown).toMatch(/Grows a tree\.\n\nIt takes years\.\n[^]*\| `leaves` \| `Id` \| how many, at least 1 \|/)
  expect(markdown).toMatch(/#### Throws .*\n\nRangeError where there are no leaves\n/)
  expect(markdown).toContain('Its trees.')
  expect(markdown).not.toMatch(/hidden|mine|<a|__namedParameters/)
  expect(markdown).not.toContain(root)
  expect(markdown).not.toMatch(/node_modules|file:/)
})

test('apiPages links source files if the repository has a public address, and otherwise names them', async () => {
  const line = 'packages/a/src/index.ts:3'
  const [, named] = await made()
  expect(named.markdown).toContain(`Defined in: ${line}\n`)
  const [, linked] = await made('https://example.org/x')
  expect(linked.markdown).toContain(`[${line}](https://example.org/x/blob/main/packages/a/src/index.ts#L3)`)
})

test('apiPages rejects if a docstring links to a missing name', async () => {
  write('packages/a/src/wrong.ts', '/** See {@link nothing}. */\nexport const a = 1\n')
  const complaint = vi.spyOn(console, 'warn').mockReturnValue()
  const wrong = [{ specifier: '@x/wrong', source: join(root, 'packages/a/src/wrong.ts') }]
  await expect(made(undefined, wrong)).rejects.toThrow(
    'TypeDoc reports problems in the exports of packages: see the messages above',
  )
  expect(complaint.mock.calls.join()).toContain('nothing')
})

test('withOwnIds gives every heading except the title a unique id, and leaves code blocks unchanged', () => {
  const markdown = [
    '# title',
    '### Tree {#tree}',
    '#### Returns',
    '##### tree {#tree}',
    '##### tree-tree {#tree-tree}',
    '```sh\n## no heading\n```',
    '### grow() {#grow}',
    '#### Returns',
  ]
  expect(withOwnIds(markdown.join('\n')).split('\n')).toEqual([
    '# title',
    '### Tree {#tree}',
    '#### Returns {#tree-returns}',
    '##### tree {#tree-tree-1}',
    '##### tree-tree {#tree-tree}',
    '```sh',
    '## no heading',
    '```',
    '### grow() {#grow}',
    '#### Returns {#grow-returns}',
  ])
})

test('withoutLostLinks keeps links to headings of any page, and makes links without a target text', () => {
  const [page] = withoutLostLinks([
    {
      path: 'a/b',
      markdown:
        '## One {#one}\n\n<a id="row"></a> [`One`](#one) [`r`](#row) [Two](../c.md#two) [`x`](../c.md#three) [y](https://example.org/#z)\n',
    },
    { path: 'c', markdown: '### Two {#two}\n' },
  ])
  expect(page.markdown).toBe('## One {#one}\n\n[`One`](#one) `r` [Two](../c.md#two) `x` [y](https://example.org/#z)\n')
})
