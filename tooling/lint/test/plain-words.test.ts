// Limits, package by package, relative words (`which`) and pronouns (`it`) in comments and documents.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countWords, sentencesOf, vagueDocstrings } from '../plain-words.mjs'

const root = resolve(import.meta.dirname, '../../..')

/** Most relative words, and most pronouns, in per cent of all words of a package's comments or documents. */
const MOST_PERCENT = 3.5
/** Most relative words and pronouns of a sentence, together. */
const MOST_IN_A_SENTENCE = 3

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(root, path)) && !/(^|\/)CHANGELOG\.md$|^\.changeset\//.test(path))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const packageOf = (path: string): string =>
  /^(packages\/policies|packages|apps|tooling)\/[^/]+(?=\/)/.exec(path)?.[0] ?? 'root'
const packages = [...new Set(files.map(packageOf))].sort()

/** Returns faults: shares above MOST_PERCENT, sentences above MOST_IN_A_SENTENCE, docstrings with vague beginnings. */
function notPlain(paths: ReadonlyArray<string>): ReadonlyArray<string> {
  const found: Array<string> = []
  const sum = { words: 0, relative: 0, pronouns: 0 }
  for (const path of paths) {
    const text = read(path)
    for (const sentence of sentencesOf(path, text)) {
      const { words, relative, pronouns } = countWords(sentence.text)
      sum.words += words
      sum.relative += relative
      sum.pronouns += pronouns
      if (relative + pronouns > MOST_IN_A_SENTENCE)
        found.push(`${path}:${sentence.line}: name the nouns: ${sentence.text}`)
    }
    if (!path.endsWith('.md'))
      for (const { line, text: first } of vagueDocstrings(text))
        found.push(`${path}:${line}: begin with a verb or a noun phrase: ${first}`)
  }
  for (const kind of ['relative', 'pronouns'] as const)
    if (sum.words >= 200 && (100 * sum[kind]) / sum.words > MOST_PERCENT)
      found.push(`${((100 * sum[kind]) / sum.words).toFixed(1)} % ${kind}, at most ${MOST_PERCENT} %`)
  return found
}

const kinds: ReadonlyArray<readonly [string, (path: string) => boolean]> = [
  ['comments', (path) => !path.endsWith('.md') && !/(^|\/)test\//.test(path)],
  ['comments of tests', (path) => !path.endsWith('.md') && /(^|\/)test\//.test(path)],
  ['documents', (path) => path.endsWith('.md')],
]
const allOf = (folder: string): ReadonlyArray<string> =>
  kinds.flatMap(([kind, isOfKind]) =>
    notPlain(files.filter((path) => packageOf(path) === folder && isOfKind(path))).map((fault) => `${kind}: ${fault}`),
  )

describe('the meter', () => {
  test('countWords counts relative words and pronouns, but no words in backticks', () => {
    expect(countWords('The same of the job that holds it; `that` is code.')).toEqual({
      words: 10,
      relative: 1,
      pronouns: 1,
    })
  })

  test('sentencesOf returns sentences of code comments and of document prose, with lines', () => {
    const code = "/** Returns the end.\n * In ms. */\nconst a = 1 // A reason.\nconst url = 'http://x'\n"
    expect(sentencesOf('a.ts', code)).toEqual([
      { line: 1, text: 'Returns the end.' },
      { line: 2, text: 'In ms.' },
      { line: 3, text: 'A reason.' },
    ])
    expect(sentencesOf('a.md', '# Title\n\nOne. Two.\n\n```ts\n// code\n```\n').map(({ text }) => text)).toEqual([
      '# Title',
      'One.',
      'Two.',
    ])
  })

  test('vagueDocstrings finds docstrings that begin with Whether or Of', () => {
    // Written with # for /, so that this file has no vague docstring.
    const code = '#** Whether it fits. *#\n#** Returns true. *#\n#**\n * Of each job.\n *#'.replaceAll('#', '/')
    expect(vagueDocstrings(code)).toEqual([
      { line: 1, text: 'Whether it fits.' },
      { line: 3, text: 'Of each job.' },
    ])
  })
})

test.each(packages)('the comments and documents of %s keep the limits on relative words and pronouns', (folder) => {
  expect(allOf(folder)).toEqual([])
})
