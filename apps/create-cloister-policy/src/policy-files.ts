import { exportedAs, titleOf } from './policy-name.ts'

/** Existing policy: its code and tests under a new name become a new policy. */
export interface Template {
  /** Name of the template's policy in code; files of the new policy have the new name instead. */
  readonly name: string
  readonly title: string
  readonly source: string
  /** Text of the template's tests; if undefined, the new package tests only by the conformance suite. */
  readonly test?: string
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

function renamed(text: string, template: Template, name: string): string {
  return text
    .replace(`'${template.name}'`, `'${name}'`)
    .replaceAll(new RegExp(`\\b${template.name}\\b`, 'g'), exportedAs(name))
    .replaceAll(new RegExp(`\\b${template.title}\\b`, 'g'), titleOf(name))
}
