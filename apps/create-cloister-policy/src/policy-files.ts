import { exportedAs, titleOf } from './policy-name.ts'

/** What a new policy may start as. */
export interface Template {
  /** What the policy is called in it. */
  readonly name: string
  readonly title: string
  /** Its `src/index.ts`. */
  readonly source: string
  /** Its own tests; by default the conformance suite is all there is. */
  readonly test?: string
}

/** The files of a package that are the same wherever it is: code, tests and README, by path. */
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

Say here what the policy does, which paper it comes from, and what it promises.

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

/** A template's text under the new name. */
function renamed(text: string, template: Template, name: string): string {
  return text
    .replace(`'${template.name}'`, `'${name}'`)
    .replaceAll(new RegExp(`\\b${template.name}\\b`, 'g'), exportedAs(name))
    .replaceAll(new RegExp(`\\b${template.title}\\b`, 'g'), titleOf(name))
}
