// Finds exported names and their declarations by patterns, which cover only the forms of this repository.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const KEYWORDS = '(?:declare |abstract |async )*(?:function\\*?|class|const|let|interface|type|enum) '

/** Exported name of a module. */
export interface Export {
  readonly name: string
  /** Name of the declaration, before a renaming by `as`. */
  readonly local: string
  /** Source file or package of a re-export; undefined for a declaration in the same file. */
  readonly from: string | undefined
}

/** Returns the exports of a file: by `export *`, by lists in braces, and by declarations. */
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
 * Returns the lines before the first declaration of a name in a file, or in the file from which the file imports the
 * name. A docstring is at the end of these lines. Undefined if no file declares the name.
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

export function isDocstring(before: ReadonlyArray<string> | undefined): before is ReadonlyArray<string> {
  return before?.at(-1)?.trimEnd().endsWith('*/') === true
}

/** Returns the entries of a list between braces such as `a, type B, c as d`. */
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
