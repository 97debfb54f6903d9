import { exportedAs, titleOf } from './policy-name.ts'

/** Template from which a new policy is made. */
export interface Template {
  /** Name of the template's policy, replaced in all texts by the name of the new policy. */
  readonly name: string
  readonly title: string
  /** Text of `src/index.ts`. */
  readonly source: string
  /** Text of the template's tests. Undefined: the new package has only the conformance suite as a test. */
  readonly test?: string
}

/** Returns the texts of the files that every package of a policy has, by path: code, tests and README. */
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

/** Replaces the names of the template's policy in a text by the names of the new policy. */
function renamed(text: string, template: Template, name: string): string {
  return text
    .replace(`'${template.name}'`, `'${name}'`)
    .replaceAll(new RegExp(`\\b${template.name}\\b`, 'g'), exportedAs(name))
    .replaceAll(new RegExp(`\\b${template.title}\\b`, 'g'), titleOf(name))
}
