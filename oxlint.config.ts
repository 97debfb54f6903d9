import { defineConfig } from 'oxlint'
import { nodeOnly, ofPrograms } from './tooling/lint/boundaries.mjs'

// The lists forbid functions with which a library could give different bytes for the same input on different machines.
const exactMath = ['abs', 'ceil', 'clz32', 'floor', 'fround', 'imul', 'max', 'min', 'round', 'sign', 'sqrt', 'trunc']
const inexactMath = Object.getOwnPropertyNames(Math).filter(
  (name) => typeof Reflect.get(Math, name) === 'function' && !exactMath.includes(name) && name !== 'random',
)
const clocks = ['Date', 'performance', 'Temporal']
const unrepeatable = ['crypto', 'Intl', 'WeakRef', 'FinalizationRegistry']
const localeMethods = [
  'localeCompare',
  'toLocaleString',
  'toLocaleDateString',
  'toLocaleTimeString',
  'toLocaleLowerCase',
  'toLocaleUpperCase',
]

const noClock = 'no clock: time is a parameter'
const inputAlone = 'results depend on the input alone'
const unrepeatableGlobals = unrepeatable.map((name) => ({ name, message: inputAlone }))
const deterministicGlobals = [...clocks.map((name) => ({ name, message: noClock })), ...unrepeatableGlobals]
const deterministicProperties = [
  { object: 'Math', property: 'random', message: 'draw from a hash of (seed, job) instead' },
  ...inexactMath.map((property) => ({
    object: 'Math',
    property,
    message: 'engines differ in its last bits: use integers or a table',
  })),
  ...localeMethods.map((property) => ({ property, message: 'depends on the locale' })),
  ...[...clocks, ...unrepeatable].map((property) => ({ object: 'globalThis', property, message: inputAlone })),
]
const nodeGlobals = ['Buffer', 'process', 'require', '__dirname', '__filename', 'setImmediate'].map((name) => ({
  name,
  message: 'this source runs in a browser too',
}))

export default defineConfig({
  plugins: ['import', 'typescript', 'unicorn', 'oxc'],
  jsPlugins: ['./tooling/lint/rules.mjs'],
  categories: { correctness: 'error' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['**/dist/**'],
  rules: {
    'cloister/imports': 'error',
    'cloister/no-yield-in-try': 'error',
    'cloister/no-cast-to-run': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'preserve-caught-error': 'error',
    'typescript/no-unnecessary-type-assertion': 'error',
    // Declarations made file by file need written types.
    'typescript/prefer-as-const': 'off',
    // Arrays of known length are allocated at once.
    'unicorn/no-new-array': 'off',
  },
  overrides: [
    {
      files: ['packages/**/src/**'],
      rules: {
        'cloister/no-for-in': 'error',
        'cloister/exact-powers': 'error',
        'typescript/require-array-sort-compare': 'error',
        'no-restricted-properties': ['error', ...deterministicProperties],
        'no-restricted-globals': ['error', ...deterministicGlobals, ...nodeGlobals],
      },
    },
    // Scores of queue orders reach no log, and the auditor allows for their rounding.
    {
      files: ['packages/orders/src/**', 'packages/audit/src/cluster/{queue-orders,fair-share}.ts'],
      rules: { 'cloister/exact-powers': 'off', 'no-restricted-properties': 'off' },
    },
    // The decoders of a run's description, and of the options in a header.
    { files: ['packages/{run/src/spec,eventlog/src/records/lines}.ts'], rules: { 'cloister/no-cast-to-run': 'off' } },
    { files: nodeOnly, rules: { 'no-restricted-globals': ['error', ...deterministicGlobals] } },
    {
      files: ofPrograms.map((name) => `packages/${name}/src/**`),
      rules: { 'no-restricted-globals': ['error', ...unrepeatableGlobals] },
    },
  ],
})
