// Runs the code blocks of documents: programs (`ts`) and sessions (`console run`). Compares excerpts with files.
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Block, blocksOf, matches, stepsOf } from '../blocks.ts'
import { isInstalled, missing, runRecipe } from '../recipes.ts'
import { installCloister, runCommand, withOutputs } from '../sessions.ts'

const root = resolve(import.meta.dirname, '../../..')
const temporary = mkdtempSync(join(tmpdir(), 'cloister-docs-'))

interface Program extends Block {
  readonly path: string
}

/** Returns a program with a path in the document's package, else in tooling/docs, where its imports resolve. */
function programOf(document: string, block: Block): Program {
  const folder = /^(packages|apps)\//.test(document) ? dirname(document) : 'tooling/docs'
  return { ...block, path: join(root, folder, '.readme', `${document.replace(/\W/g, '-')}-${block.line}.ts`) }
}

const documents = globSync(
  ['*.md', 'docs/*.md', '{packages,packages/policies,apps,examples}/*/README.md', 'apps/site/pages/**/*.md'],
  { cwd: root },
)
  .sort()
  .map((document) => {
    const blocks = blocksOf(readFileSync(join(root, document), 'utf8'))
    const ofKind = (kind: Block['kind']): Block[] => blocks.filter((block) => block.kind === kind)
    return {
      document,
      programs: ofKind('program').map((block) => programOf(document, block)),
      excerpts: ofKind('excerpt'),
      // A recipe reads files that the sessions before the recipe wrote.
      steps: blocks.filter(({ kind }) => kind === 'session' || kind === 'recipe'),
    }
  })
const programs = documents.flatMap((document) => document.programs)
const runnable = documents.filter(
  (document) => document.programs.length + document.excerpts.length + document.steps.length > 0,
)

beforeAll(() => {
  for (const { path, text } of programs) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  installCloister(root, temporary)
})
afterAll(() => {
  for (const { path } of programs) rmSync(dirname(path), { recursive: true, force: true })
  rmSync(temporary, { recursive: true })
})

test('every `ts` block of a document passes the type check', () => {
  const project = join(temporary, 'tsconfig.json')
  const compilerOptions = {
    typeRoots: [join(root, 'node_modules/@types')],
    isolatedDeclarations: false,
    declaration: false,
  }
  writeFileSync(
    project,
    JSON.stringify({
      extends: join(root, 'tooling/tsconfig.json'),
      compilerOptions,
      files: programs.map(({ path }) => path),
    }),
  )
  const tsc = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(tsc.stdout).toBe('')
})

describe.each(runnable)('$document', (document) => {
  const folder = mkdtempSync(join(tmpdir(), 'cloister-docs-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test.each(document.programs)('line $line: the `ts` block runs and prints its `output` block', ({ path, output }) => {
    const run = spawnSync(process.execPath, ['--conditions=@cloister/source', path], {
      cwd: folder,
      encoding: 'utf8',
      // The programs import mostly the same modules, so a cache of compiled modules saves time.
      env: { ...process.env, NODE_COMPILE_CACHE: join(temporary, 'compiled') },
    })
    expect(run).toMatchObject({ status: 0, stderr: '' })
    if (output !== undefined) expect(run.stdout).toBe(output)
  })

  test.each(document.excerpts)('line $line: the block is part of the text of $file', ({ file, text }) => {
    expect(readFileSync(join(root, file ?? ''), 'utf8')).toContain(text.trim())
  })

  // Windows does not run the file `cloister`, which is a shell script.
  test.skipIf(process.platform === 'win32').for(document.steps)(
    'line $line: the $kind prints the text in the document',
    ({ text, program, language, output: expected }, { skip }) => {
      if (language !== undefined) {
        const reason = missing(language)
        skip(reason !== undefined, reason)
        const { status, printed } = runRecipe(language, text, folder)
        expect(`exit status ${status}\n${printed}`).toBe(`exit status 0\n${expected}`)
        return
      }
      skip(program !== undefined && !isInstalled(program), `${program} is not installed`)
      for (const { command, output } of stepsOf(text)) {
        const { status, printed } = runCommand(command, folder, temporary)
        // The output `…` would also match the message of a refused command.
        const isRefused = output.trim() === '…' && status === 2
        if (isRefused || !matches(output, printed)) expect(`$ ${command}\n${printed}`).toBe(`$ ${command}\n${output}`)
      }
    },
  )
})

describe('the checks of documents', () => {
  test('blocksOf and stepsOf read programs with outputs, excerpts, and the commands of sessions', () => {
    const [program, session] = blocksOf(
      '# A\n\n```ts\nconsole.log(1)\n```\n```output\n1\n```\n\n```console run\n$ ls a\nb\n> c\n$ true &&\n> true\n```\n',
    )
    expect(program).toMatchObject({ kind: 'program', text: 'console.log(1)\n', output: '1\n', line: 3 })
    expect(stepsOf(session.text)).toEqual([
      { command: 'ls a', output: 'b\n> c\n' },
      { command: 'true &&\ntrue', output: '' },
    ])
    expect(blocksOf('```ts from a/b.ts\nx\n```\n')).toEqual([
      { kind: 'excerpt', file: 'a/b.ts', program: undefined, language: undefined, text: 'x\n', line: 1 },
    ])
    expect(blocksOf('```console run with R\n```\n')).toMatchObject([{ kind: 'session', program: 'R' }])
    expect(blocksOf('```sql\nSELECT 1\n```\n\n```output\n1\n```\n')).toMatchObject([
      { kind: 'recipe', language: 'sql', output: '1\n' },
    ])
  })

  test('a recipe that fails has another exit status, and its message', () => {
    expect(runRecipe('js', 'throw new Error("no table")\n', temporary)).toMatchObject({
      status: 1,
      printed: expect.stringContaining('no table') as string,
    })
  })

  test('withOutputs replaces the outputs of sessions, except outputs with …', () => {
    const session = (...outputs: ReadonlyArray<string>): string =>
      `# A\n\n\`\`\`console run\n$ one\n> more\n${outputs[0]}$ two\n${outputs[1]}\`\`\`\n\n\`\`\`console\n$ one\n\`\`\`\n`
    const run = (command: string): string => `of ${command.replace('\n', ' ')}, $& unchanged\n`
    expect(withOutputs(session('', '…\nb\n'), run)).toBe(session('of one more, $& unchanged\n', '…\nb\n'))
  })

  test.each([
    ['```typescript\n```\n', 'has no row for blocks of "typescript"'],
    ['```\n```\n', 'has no row for blocks of ""'],
    ['```ts\nlet', 'not closed'],
    ['```output\n1\n```\n', 'a block of output must follow'],
  ])('blocksOf refuses the document %j', (markdown, message) => expect(() => blocksOf(markdown)).toThrow(message))

  test.each([
    ['a\nb\n', 'a\nb\n', true],
    ['a\nb\n', 'a\nc\n', false],
    ['a\n', 'a\nb\n', false],
    ['a\nb\n', 'a\n', false],
    ['took … s\n', 'took 1.25 s\n', true],
    ['took … s\n', 'took 1.25 min\n', false],
    ['a\n…\nd\n', 'a\nb\nc\nd\n', true],
    ['a\n…\nd\n', 'a\nd\n', true],
    ['a\n…\nd\n', 'a\nb\nc\n', false],
    ['1.5 (x)\n', '1.5 (x)\n', true],
    ['1.5\n', '125\n', false],
    ['policy  jigsaw@1.0.0\n', 'policy  jigsaw@1.10.2\n', true],
    ['policy  jigsaw@1.0.0\n', 'policy  jigsaw\n', false],
    ['scheduling  0.48 s, 47.6 µs a job\n', 'scheduling  980 ms, 9.8 µs a job\n', true],
    ['started     0.48 s, 47.6 µs a job\n', 'started     0.49 s, 47.6 µs a job\n', false],
    ['', '', true],
    ['', 'a\n', false],
  ])('matches with the block %j and the output %j returns %s', (expected, actual, same) =>
    expect(matches(expected, actual)).toBe(same),
  )
})
