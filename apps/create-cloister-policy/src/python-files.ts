import { exportedAs, type Template, titleOf } from './policy-files.ts'

/** Returns the texts of all files of a new policy in Python, by the path of the file. */
export function pythonFiles(
  { ranges, licence }: { readonly ranges: Readonly<Record<string, string>>; readonly licence: string },
  { name: templateName, title, source }: Template,
  kit: string,
  name: string,
): Readonly<Record<string, string>> {
  const className = exportedAs(name).replace(/^./, (first) => first.toUpperCase())
  const policy = source
    .replace(`"${templateName}"`, `"${name}"`)
    .replace('"1.0.0"', '"0.1.0"')
    .replaceAll(
      exportedAs(templateName).replace(/^./, (first) => first.toUpperCase()),
      className,
    )
    .replace(`"""${title}:`, `"""${titleOf(name)}:`)
  const manifest = {
    name: `cloister-policy-${name}`,
    version: '0.1.0',
    private: true,
    scripts: { test: `cloister policy test '${PROGRAM}'`, fuzz: `cloister fuzz --policy '${PROGRAM}'` },
    devDependencies: { cloister: ranges['cloister'] },
    engines: { node: '>=22.15' },
  }
  return {
    'policy.py': policy,
    'cloister.py': kit,
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'README.md': readmeOf(name),
    LICENSE: licence,
    '.gitignore': 'node_modules/\n__pycache__/\n*.ndjson\n',
    '.github/workflows/test.yml': workflow,
  }
}

const PROGRAM = 'exec:python3 policy.py'

function readmeOf(name: string): string {
  return `# ${titleOf(name)}

A placement policy for Cloister in Python. \`policy.py\` is the policy. \`cloister.py\` is the kit of Cloister, which needs Python 3.9 or newer and nothing else.

| command | effect |
|---|---|
| \`npm install\` | installs Cloister |
| \`npm test\` | tests the contract and all claims of the policy, on random histories |
| \`npm run fuzz\` | random machines, jobs, queues and failures, with the auditor on every log |
| \`npx -p create-cloister-policy@latest cloister-policy update\` | newest version of Cloister and of the kit; \`--dry-run\` writes nothing |
| \`npx cloister simulate --trace synth:16 --topology radix:16 --policy '${PROGRAM}' --out run.ndjson\` | runs jobs under the policy |
`
}

const workflow = `name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 24
      - uses: actions/setup-python@v5
        with:
          python-version: '3.9'
      - run: npm install
      - run: npm test
      - run: npm run fuzz -- --runs 100
`
