import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { longestChain } from '../import-depth.mjs'

test('longestChain follows `import` and `import()`, but not `import type`', () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-depth-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const files = {
    'main.ts': "import { a } from './a.ts'\nimport type { Deep } from './types/deep.ts'\n",
    'a.ts': "import 'effect'\nexport const load = () => import('./on/demand.ts')\n",
    'on/demand.ts': "export {\n  b,\n  c,\n} from '../b.ts'\n",
    'b.ts': "import { readFileSync } from 'node:fs'\n",
    'types/deep.ts': "import '../main.ts'\n",
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  expect(longestChain(folder)).toEqual(['types/deep.ts', 'main.ts', 'a.ts', 'on/demand.ts', 'b.ts'])
})

test('the longest chain of imports in apps/cli/src has at most 11 files', () => {
  const chain = longestChain(resolve(import.meta.dirname, '../../../apps/cli/src'))
  expect(chain.length, chain.join(' > ')).toBeLessThanOrEqual(11)
})
