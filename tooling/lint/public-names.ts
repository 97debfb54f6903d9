// What modules export, and where it is declared: by the forms in which this repository writes that.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const KEYWORDS = '(?:declare |abstract |async )*(?:function\\*?|class|const|let|interface|type|enum) '

/** A name that a module exports. */
export interface Export {
  readonly name: string
  /** Its name in the file that declares it or gives it on. */
  readonly local: string
  /** The file or package that it comes from; undefined for this one. */
  readonly from: string | undefined
}

/** What a file exports: all of others, what it gives on or names in braces, and its own declarations. */
export function exportsOf(file: string): ReadonlyArray<Export> {
  const text = readFileSync(file, 'utf8')
  const all = [...text.matchAll(/^export (?:type )?\* from '([^']+)'/gm)].flatMap(([, from]) =>
    exportsOf(resolve(dirname(file), from)).map(({ name }) => ({ name, local: name, from })),
  )
  const given = [...text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm)].flatMap(([, list, from]) =>
    listed(list).map(([local, name]) => ({ name, local, from })),
  )
  const own = [...text.matchAll(new RegExp(`^export ${KEYWORDS}(\\w+)`, 'gm'))].map(([, name]) => ({
    name,
    local: name,
    from: undefined,
  }))
  return [...all, ...given, ...own]
}

/**
 * The lines before the first declaration of a name, in a file or where that file has it from; the last of them are its docstring, where
 * it has one. Undefined where it is declared in none of them.
 */
export function linesBefore(file: string, name: string): ReadonlyArray<string> | undefined {
  const text = readFileSync(file, 'utf8')
  const lines = text.split('\n')
  const declaration = new RegExp(`^(?:export )?${KEYWORDS}${name}\\b`)
  const at = lines.findIndex((line) => declaration.test(line))
  if (at >= 0) return lines.slice(0, at)
  for (const [, list, from] of text.matchAll(/^(?:import|export)(?: type)? \{([^}]*)\} from '(\.[^']+)'/gm)) {
    const found = listed(list).find(([, known]) => known === name)
    if (found !== undefined) return linesBefore(resolve(dirname(file), from), found[0])
  }
  return undefined
}

/** Whether what stands before a declaration ends with a docstring. */
export function isDocstring(before: ReadonlyArray<string> | undefined): before is ReadonlyArray<string> {
  return before?.at(-1)?.trimEnd().endsWith('*/') === true
}

/** The entries of a list in braces: `a, type B, c as d`. */
function listed(list: string): ReadonlyArray<readonly [local: string, name: string]> {
  return list
    .split(',')
    .map((entry) => entry.trim().replace(/^type\s+/, ''))
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [local, name = local] = entry.split(/\s+as\s+/)
      return [local, name]
    })
}
