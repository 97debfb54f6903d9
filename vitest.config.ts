import { defineConfig } from 'vitest/config'

// One configuration for every package: tests run on the sources, without a build.
export default defineConfig({
  root: process.cwd(),
  ssr: { resolve: { conditions: ['@cloister/source', 'node', 'import', 'module', 'default'] } },
  test: {
    include: ['test/**/*.test.ts'],
    passWithNoTests: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // The launcher adds up the second one over all packages.
    reporters: ['default', ['json', { outputFile: 'test-results.json' }]],
  },
})
