import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { apiReports } from '../src/api-report.ts'

const root = resolve(import.meta.dirname, '../../..')

const stored = (file: string): string => {
  try {
    return readFileSync(join(root, file), 'utf8')
  } catch {
    return ''
  }
}

test.each(apiReports(root))(
  '$file has the exported names of $name; `npm run pnpm -- run api` writes them',
  (report) => {
    const message = `the API of ${report.name} changed: \`npm run pnpm -- run api\` writes ${report.file}, and the changeset says if the change is an addition (minor) or not (major)`
    expect(stored(report.file), message).toBe(report.text)
  },
)

test('a report has exported names through lists, stars and renamings, and the types that they name', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'cloister-api-'))
  onTestFinished(() => rmSync(workspace, { recursive: true }))
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(workspace, file)), { recursive: true })
    writeFileSync(join(workspace, file), text)
  }
  symlinkSync(join(root, 'node_modules'), join(workspace, 'node_modules'), 'junction')
  write('tsconfig.base.json', readFileSync(join(root, 'tsconfig.base.json'), 'utf8'))
  write('packages/b/package.json', JSON.stringify({ name: 'b', private: true, exports: { '.': { types: 'b' } } }))
  const source = { '@cloister/source': './src/index.ts', types: './dist/index.d.ts' }
  write('packages/a/package.json', JSON.stringify({ name: 'a', exports: { '.': source, './data': './data.json' } }))
  write(
    'packages/a/src/index.ts',
    `export * from './shapes.ts'
export { hidden as shown, type Plain } from './others.ts'
export type { TestProject } from 'vitest/node'
/** Draws. */
export default function draw(size: number) { return { size } }
`,
  )
  write(
    'packages/a/src/shapes.ts',
    `import type { Side } from './others.ts'
export interface Square { readonly side: Side }
export const inferred = (squares: ReadonlyArray<Square>) => squares.map(({ side }) => side)
`,
  )
  write(
    'packages/a/src/others.ts',
    `export type Side = Length | 0
type Length = 1 | 2
type Unused = 3
export class Plain { private mine: Unused = 3 }
export function hidden(): void {}
`,
  )
  expect(apiReports(workspace)).toEqual([
    {
      name: 'a',
      file: 'packages/a/api.txt',
      text: `API of a. \`npm run pnpm -- run api\` writes this file.

== a

class Plain {
  private mine;
}

interface Square {
  readonly side: Side;
}

TestProject, from vitest/node

default:
function draw(size: number): {
  size: number;
};

const inferred: (squares: ReadonlyArray<Square>) => Side[];

shown:
function hidden(): void;

== types without an export, used above

type Length = 1 | 2;

type Side = Length | 0;
`,
    },
  ])
})
