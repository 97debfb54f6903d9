// Runs recipes: the blocks of a document in R, SQL and JavaScript, which read tables out of the document's folder.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

interface Language {
  /** Program that runs the recipe, with its arguments. The recipe is on standard input. */
  readonly command: ReadonlyArray<string>
  /** Returns the reason why this machine cannot run the recipe; undefined if it can. */
  readonly missing: () => string | undefined
}

const node = (script: string): ReadonlyArray<string> => [process.execPath, join(import.meta.dirname, script)]

/** Folder with DuckDB, which is too large for the dependencies of every developer. */
const duckdb = join(process.env['CLOISTER_DUCKDB'] ?? '/none', 'node_modules/@duckdb/node-api')

const languages: Readonly<Record<string, Language>> = {
  r: {
    command: ['Rscript', '--vanilla', '-'],
    missing: () => (isInstalled('Rscript') ? undefined : 'Rscript is not installed (package r-base-core of Debian)'),
  },
  sql: {
    command: node('run-sql.ts'),
    missing: () => (existsSync(duckdb) ? undefined : 'CLOISTER_DUCKDB names no folder with @duckdb/node-api'),
  },
  js: { command: node('run-observable.ts'), missing: () => undefined },
}

/** Returns true if a program can be started. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined
}

/** Returns the reason why this machine cannot run recipes in a language; undefined if it can. */
export function missing(language: string): string | undefined {
  return languages[language].missing()
}

/** Runs a recipe in a folder. @returns exit status, and the text on standard output followed by that on standard error */
export function runRecipe(
  language: string,
  recipe: string,
  folder: string,
): { readonly status: number | null; readonly printed: string } {
  const [program, ...args] = languages[language].command
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, input: recipe, encoding: 'utf8' })
  return { status, printed: stdout + stderr }
}
