// Runs Stryker on the package in the current folder, with its report in a file: stryker.mjs REPORT FILE[:LINE-LINE]…
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const { Stryker } = await import('@stryker-mutator/core')
const [report, ...mutate] = process.argv.slice(2)

await new Stryker({
  mutate,
  testRunner: 'vitest',
  plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner'))],
  vitest: {
    configFile: resolve('../..', process.cwd().includes('/policies/') ? '..' : '.', 'vitest.config.ts'),
    related: true,
  },
  // Tests need not notice changed words of messages: people judge these words.
  mutator: { excludedMutations: ['StringLiteral'] },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  inPlace: true,
  disableTypeChecks: false,
  concurrency: 2,
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: report },
  clearTextReporter: { allowColor: false, logTests: false },
}).runMutationTest()
