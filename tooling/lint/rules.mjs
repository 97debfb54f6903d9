// Lint rules of this repository, besides oxlint's. test/rules.test.ts shows that every rule finds a violation.
import { existsSync } from 'node:fs'
import { dirname, join, matchesGlob, relative, resolve, sep } from 'node:path'
import { appsMayImport, foundations, furtherEntries, mayImport, nodeOnly } from './boundaries.mjs'

/** Returns a file's package (folder, and path below packages/ or apps/), and its part of the package: src or test. */
function placeOf(file, workspace) {
  let root = dirname(file)
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root)
  const folder = relative(workspace, root).replaceAll(sep, '/')
  const [library, app] = [/^packages\/(.+)$/, /^apps\/(.+)$/].map((pattern) => pattern.exec(folder)?.[1])
  return { root, library, app, part: relative(root, file).split(sep)[0] }
}

/** Calls `check(specifier, isType, node)` for every import and re-export of a file. */
const onImport = (check) => {
  const visit = (source, kind, node) => typeof source?.value === 'string' && check(source.value, kind === 'type', node)
  return {
    ImportDeclaration: (node) => visit(node.source, node.importKind, node),
    ExportAllDeclaration: (node) => visit(node.source, node.exportKind, node),
    ExportNamedDeclaration: (node) => visit(node.source, node.exportKind, node),
    ImportExpression: (node) => visit(node.source, 'value', node),
    TSImportType: (node) => visit(node.source ?? node.argument?.literal, 'type', node),
  }
}

const named = (pattern, text) => matchesGlob(text, pattern)

/** Returns true if a list of boundaries.mjs allows a package; an entry with `(types)` allows only `import type`. */
const allows = (list, name, isType) =>
  list.some((pattern) => named(pattern.replace(' (types)', ''), name) && (isType || !pattern.endsWith('(types)')))

/** Returns the message against an import of `@cloister/ENTRY`; undefined if boundaries.mjs allows the import. */
function trespass(entry, isType, { library, app, part }, inBrowser) {
  const name = entry.split('/')[0]
  if (entry !== name && !furtherEntries.includes(entry))
    return `import @cloister/${name} by an entry of the package, no other file`
  if (app !== undefined && name !== app && name in appsMayImport && !allows(appsMayImport[app] ?? [], name, isType))
    return `${app} may import only these apps: ${appsMayImport[app]?.join(', ') || 'none'}`
  const folder = Object.keys(mayImport).find((pattern) => library !== undefined && named(pattern, library))
  if (folder === undefined) return undefined
  const allowed = allows(mayImport[folder], name, isType)
  // Only sources that need Node (`nodeOnly`) may import a further entry, such as NAME/node.
  if (part === 'src' && !(allowed && (entry === name || !inBrowser)))
    return `sources of ${library} may import only: ${mayImport[folder].join(', ') || 'no other package of ours'}`
  if (part === 'test' && foundations.includes(folder) && !allowed && name !== library)
    return `tests of ${library} may import only: ${[library, ...mayImport[folder]].join(', ')}`
  return undefined
}

const imports = {
  create(context) {
    const place = placeOf(context.filename, context.cwd)
    const inBrowser =
      place.library !== undefined &&
      place.part === 'src' &&
      !nodeOnly.some((pattern) => named(pattern, relative(context.cwd, context.filename)))
    return onImport((specifier, isType, node) => {
      const report = (message) => context.report({ node, message })
      if (specifier.startsWith('.')) {
        const target = resolve(dirname(context.filename), specifier)
        // trace-io bundles traces/manifest.json of the repository.
        if (target.startsWith(join(context.cwd, 'traces') + sep) && target.endsWith('.json')) return
        if (!target.startsWith(place.root + sep))
          report('no relative import out of the package: import the other package by its name')
        else if (place.part === 'src' && !target.startsWith(join(place.root, 'src') + sep))
          report('sources import nothing outside src: only src is published')
      } else if (specifier.startsWith('node:')) {
        if (inBrowser)
          report('this source runs in a browser too: take bytes, text or a function as a parameter instead')
      } else if (specifier === 'effect' && inBrowser && !isType) {
        report("the entry of effect adds 240 kB to a bundle: import * as Schema from 'effect/Schema', the module alone")
      } else if (specifier.startsWith('@cloister/')) {
        const message = trespass(specifier.slice('@cloister/'.length), isType, place, inBrowser)
        if (message !== undefined) report(message)
      }
    })
  },
}

const noForIn = {
  create: (context) => ({
    ForInStatement: (node) =>
      context.report({
        node,
        message: 'for-in visits inherited keys, and integer keys first: use for-of over a list whose order is meant',
      }),
  }),
}

const isInteger = (node) => node.type === 'Literal' && Number.isInteger(node.value)

const exactPowers = {
  create(context) {
    const report = (node) =>
      context.report({ node, message: 'powers are exact only of integer literals: multiply or shift instead' })
    return {
      BinaryExpression: (node) =>
        node.operator === '**' && !(isInteger(node.left) && isInteger(node.right)) && report(node),
      AssignmentExpression: (node) => node.operator === '**=' && report(node),
    }
  },
}

const isFunction = (node) => /Function(?:Expression|Declaration)$/.test(node.type)

/** Returns the nearest `try` around a node in its function, with a `catch` or `finally` that a failing Effect skips. */
function passedTry(node) {
  for (let at = node; at.parent != null && !isFunction(at); at = at.parent) {
    const { parent } = at
    if (parent.type !== 'TryStatement') continue
    const isGuarded = at === parent.block || (at === parent.handler && parent.finalizer != null)
    if (isGuarded) return parent
  }
  return undefined
}

const noYieldInTry = {
  create: (context) => ({
    YieldExpression: (node) =>
      node.delegate &&
      passedTry(node) !== undefined &&
      context.report({
        node,
        message:
          'an Effect that fails or is interrupted runs no catch and no finally: use Effect.acquireUseRelease, Effect.ensuring or Effect.catch',
      }),
  }),
}

/** Types that describe a run. Only decoders such as canonicalSpec may make values of these types. */
const runTypes = new Set([
  'GivenSpec',
  'OptionsRef',
  'QueueDiscipline',
  'RunMeanings',
  'RunSpec',
  'SchedulingRules',
  'Simulation',
])

const noCastToRun = {
  create: (context) => ({
    TSAsExpression: ({ typeAnnotation: type, ...node }) =>
      type.type === 'TSTypeReference' &&
      runTypes.has(type.typeName.name) &&
      context.report({
        node: { ...node, typeAnnotation: type },
        message: `no cast to ${type.typeName.name}: canonicalSpec, decodeOptions and schedulingRules make checked values`,
      }),
  }),
}

const rules = {
  imports,
  'no-for-in': noForIn,
  'exact-powers': exactPowers,
  'no-yield-in-try': noYieldInTry,
  'no-cast-to-run': noCastToRun,
}

export default { meta: { name: 'cloister' }, rules }
