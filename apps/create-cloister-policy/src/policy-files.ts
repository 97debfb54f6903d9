import { exportedAs, titleOf } from './policy-name.ts'

/** A template of a new policy. */
export interface Template {
  /** Name of the policy in the texts of the template. */
  readonly name: string
  readonly title: string
  /** Text of `src/index.ts`. */
  readonly source: string
  /** Text of the template's own tests; without it a package has the conformance suite alone. */
  readonly test?: string
}

/** Returns the files that every policy package has, by path: code, tests and README. */
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

Describe the policy here: the method, the paper and the claims.

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

/** Replaces the template's names in a text by the new name. */
function renamed(text: string, template: Template, name: string): string {
  return text
    .replace(`'${template.name}'`, `'${name}'`)
    .replaceAll(new RegExp(`\\b${template.name}\\b`, 'g'), exportedAs(name))
    .replaceAll(new RegExp(`\\b${template.title}\\b`, 'g'), titleOf(name))
}
