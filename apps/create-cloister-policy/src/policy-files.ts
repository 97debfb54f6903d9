import { Script } from 'node:vm'

/** Kind of value that a package exports, for `--policy`, `--router` or `--order`. */
export type Kind = 'policy' | 'router' | 'order'

/** Existing policy, router or order: its code and tests under a new name become a new one. */
export interface Template {
  /** Default: policy. */
  readonly kind?: Kind
  /** Name of the template's policy, router or order in code; files of the new package have the new name instead. */
  readonly name: string
  readonly title: string
  readonly source: string
  /** Text of the template's tests; if undefined, the new package tests only by the conformance suite. */
  readonly test?: string
  /** Text of the kit for policies in Python; undefined for TypeScript. The code of a template with a kit is Python. */
  readonly kit?: string
}

/** Returns the texts of a new policy's code, tests and README.md, by path in the package. */
export function policyFiles(
  template: Template,
  { name, packageName, version }: { readonly name: string; readonly packageName: string; readonly version: string },
): Readonly<Record<string, string>> {
  const exported = exportedAs(name)
  const suite = `import { policySuite } from '@cloister/placement/testing'\nimport { ${exported} } from '../src/index.ts'\n\npolicySuite(${exported})\n`
  return {
    'src/version.ts': `export const version = '${version}'\n`,
    'src/index.ts': renamed(template.source, template, name),
    [`test/${name}.test.ts`]: template.test === undefined ? suite : renamed(template.test, template, name),
    'README.md': `# ${packageName}

Describe the ${template.kind ?? 'policy'} here: the method, the paper and the claims.

\`\`\`ts
import { ${exported} } from '${packageName}'

console.log(${exported}.name)
\`\`\`
\`\`\`output
${name}
\`\`\`
`,
  }
}

function renamed(text: string, template: Template, name: string): string {
  return text
    .replace(`'${template.name}'`, `'${name}'`)
    .replaceAll(new RegExp(`\\b${template.name}\\b`, 'g'), exportedAs(name))
    .replaceAll(new RegExp(`\\b${template.title}\\b`, 'g'), titleOf(name))
}

/** Allowed form of names of policies, routers and orders, as a phrase for messages. */
export const nameForm = 'lower-case words and digits joined by -, as in first-fit'

/**
 * Returns the reason why a name cannot be the name of a new policy, router or order; undefined if the name is allowed.
 *
 * @param packageOf returns the name of the new package, for messages
 * @param builtIn names built into cloister: `--policy NAME`, `--router NAME` or `--order NAME` finds these before packages
 */
export function nameProblem(
  name: string | undefined,
  packageOf: (name: string) => string,
  builtIn: ReadonlyArray<string> = [],
  kind: Kind = 'policy',
): string | undefined {
  if (name === undefined) return `the name of the ${kind} is missing`
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40)
    return `${JSON.stringify(name)} cannot be the name of a ${kind}`
  const given = new RegExp(`^(?:cloister-)?${kind}-(.+)$`).exec(name)
  if (given !== null)
    return `leave out ${name.slice(0, -given[1].length)}: the name ${given[1]} gives the package ${packageOf(given[1])}`
  if (builtIn.includes(name))
    return `${name} is a built-in ${kind} of cloister, and --${kind} ${name} would find the built-in ${kind}`
  if (!isIdentifier(exportedAs(name)))
    return `${name} is a reserved word of JavaScript, and a ${kind} is exported under its name`
  return undefined
}

/** Returns the name under which a policy, router or order is exported: `firstFit` for first-fit. */
export function exportedAs(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the name for people: `First fit` for first-fit. */
export function titleOf(name: string): string {
  return name[0].toUpperCase() + name.slice(1).replaceAll('-', ' ')
}

function isIdentifier(word: string): boolean {
  try {
    void new Script(`'use strict'; const ${word} = 0`)
    return true
  } catch {
    return false
  }
}
