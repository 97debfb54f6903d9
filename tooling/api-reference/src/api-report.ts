// Lists the exported names of packages with their types: the compiler writes declarations, and a parser collects them.
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/** Report about a package's API. */
export interface ApiReport {
  /** Name of the package. */
  readonly name: string
  /** File of the report, from the repository's root. */
  readonly file: string
  readonly text: string
}

/** Module that a package exports: the specifier in imports, and the source file from the repository's root. */
interface Entry {
  readonly specifier: string
  readonly source: string
}

/** Returns the report of each published package with types. @param root folder of the repository */
export function apiReports(root: string): ReadonlyArray<ApiReport> {
  const packages = globSync('{packages,packages/policies,apps}/*/package.json', { cwd: root })
    .sort()
    .map((file) => ({ folder: dirname(file), manifest: JSON.parse(readFileSync(join(root, file), 'utf8')) }))
    .filter(({ manifest }) => manifest.private !== true)
    .map(({ folder, manifest }) => ({ folder, name: manifest.name as string, entries: entriesOf(folder, manifest) }))
    .filter(({ entries }) => entries.length > 0)
  const scratch = mkdtempSync(join(tmpdir(), 'cloister-api-'))
  try {
    const declared = declarationsOf(
      root,
      packages.map(({ folder }) => folder),
      scratch,
    )
    return packages.map(({ folder, name, entries }) => ({
      name,
      file: `${folder}/api.txt`,
      text: reportOf(name, entries, new Modules(declared)),
    }))
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

function entriesOf(folder: string, { name, exports = {} }: any): ReadonlyArray<Entry> {
  return Object.entries<any>(exports)
    .filter(([, target]) => target.types !== undefined && target['@cloister/source'] !== undefined)
    .map(([entry, target]) => ({ specifier: name + entry.slice(1), source: join(folder, target['@cloister/source']) }))
}

/** Compiles the sources of packages to declarations without comments, and returns the folder of the declarations. */
function declarationsOf(root: string, folders: ReadonlyArray<string>, scratch: string): string {
  const compilerOptions = {
    noEmit: false,
    emitDeclarationOnly: true,
    isolatedDeclarations: false,
    removeComments: true,
    // The task `types` checks the types.
    noCheck: true,
    lib: ['ES2024', 'DOM'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    rootDir: root,
    outDir: 'declared',
  }
  const include = folders.map((folder) => join(root, folder, 'src'))
  const project = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include }
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(project))
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  execFileSync(process.execPath, [compiler, '-p', scratch], { stdio: ['ignore', 'inherit', 'inherit'] })
  return join(scratch, 'declared')
}

function reportOf(name: string, entries: ReadonlyArray<Entry>, modules: Modules): string {
  const parts = [`API of ${name}. \`npm run pnpm -- run api\` writes this file.`]
  const exported = new Map<ts.Node, string>()
  for (const { specifier, source } of entries) {
    parts.push(`== ${specifier}`)
    for (const name of [...modules.exportsOf(source)].sort()) {
      const found = modules.find(source, name)
      const nodes = found.nodes ?? []
      for (const node of nodes) exported.set(node, found.file)
      if (found.nodes === undefined) parts.push(`${name}, from ${found.file}`)
      else
        parts.push(
          [...(found.name === name && name !== 'default' ? [] : [`${name}:`]), ...nodes.map(textOf)].join('\n'),
        )
    }
  }
  const used = usedBy(exported, modules)
  if (used.length > 0) parts.push('== types without an export, used above', ...used)
  return `${parts.join('\n\n')}\n`
}

/** Returns the texts of the declarations that others name, directly or through declarations without an export. */
function usedBy(exported: ReadonlyMap<ts.Node, string>, modules: Modules): ReadonlyArray<string> {
  const known = new Map(exported)
  const texts: Array<string> = []
  // Iteration over a Map reaches the entries that the loop adds.
  for (const [node, file] of known) {
    for (const [name, from] of namesIn(node)) {
      const { nodes = [], file: origin } = modules.find(from === undefined ? file : join(dirname(file), from), name)
      for (const each of nodes.filter((declaration) => !known.has(declaration))) {
        known.set(each, origin)
        texts.push(textOf(each))
      }
    }
  }
  return texts.sort()
}

/**
 * Returns the types and the values (`typeof`) that a declaration names. The value of a name is its file for the form
 * `import("./other.ts")` of inferred types, else undefined.
 */
function namesIn(declaration: ts.Node): ReadonlyMap<string, string | undefined> {
  const names = new Map<string, string | undefined>()
  const visit = (node: ts.Node): void => {
    let name: ts.Node | undefined
    let from: string | undefined
    if (ts.isTypeReferenceNode(node)) name = node.typeName
    else if (ts.isExpressionWithTypeArguments(node)) name = node.expression
    else if (ts.isTypeQueryNode(node)) name = node.exprName
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const { literal } = node.argument
      if (ts.isStringLiteral(literal) && literal.text.startsWith('.')) [name, from] = [node.qualifier, literal.text]
    }
    while (name !== undefined && ts.isQualifiedName(name)) name = name.left
    if (name !== undefined && ts.isIdentifier(name)) names.set(name.text, from)
    ts.forEachChild(node, visit)
  }
  visit(declaration)
  return names
}

function textOf(node: ts.Node): string {
  return node
    .getText()
    .replace(/^(export )?(default )?(declare )?/, '')
    .replaceAll(/\bimport\("[^"]+"\)\./g, '')
    .replaceAll(/^( {4})+/gm, (indent) => ' '.repeat(indent.length / 2))
}

/** Place of a name: its declarations, or without `nodes` the package `file` that declares the name. */
interface Found {
  readonly name: string
  readonly file: string
  readonly nodes?: ReadonlyArray<ts.Node>
}

/** Reads declarations, and finds the declaration of a name through imports and exports. */
class Modules {
  readonly #declared: string
  readonly #known = new Map<string, ts.SourceFile>()

  constructor(declared: string) {
    this.#declared = declared
  }

  #parse(file: string): ts.SourceFile {
    const known = this.#known.get(file)
    if (known !== undefined) return known
    const text = readFileSync(join(this.#declared, file.replace(/\.ts$/, '.d.ts')), 'utf8')
    const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.ES2024, true)
    this.#known.set(file, parsed)
    return parsed
  }

  /** Returns the names that a module exports. */
  exportsOf(file: string): ReadonlySet<string> {
    return new Set(
      this.#parse(file).statements.flatMap((statement) => {
        if (ts.isExportAssignment(statement)) return ['default']
        if (ts.isExportDeclaration(statement)) {
          const { exportClause } = statement
          if (exportClause === undefined) return [...this.exportsOf(next(file, statement))]
          return ts.isNamedExports(exportClause)
            ? exportClause.elements.map((each) => each.name.text)
            : [exportClause.name.text]
        }
        if (!has(statement, ts.SyntaxKind.ExportKeyword)) return []
        return has(statement, ts.SyntaxKind.DefaultKeyword) ? ['default'] : namesOf(statement)
      }),
    )
  }

  /** Returns the place of a name that a module declares, imports or exports. */
  find(file: string, name: string): Found {
    const { statements } = this.#parse(file)
    const nodes = statements.filter(
      (each) => namesOf(each).includes(name) || (name === 'default' && has(each, ts.SyntaxKind.DefaultKeyword)),
    )
    if (nodes.length > 0) return { name, file, nodes }
    for (const statement of statements) {
      if (ts.isExportAssignment(statement) && name === 'default' && ts.isIdentifier(statement.expression))
        return this.find(file, statement.expression.text)
      if (!ts.isExportDeclaration(statement) && !ts.isImportDeclaration(statement)) continue
      const listed = elementsOf(statement).find((each) => each.name.text === name)
      const isStar = ts.isExportDeclaration(statement) && statement.exportClause === undefined
      if (listed === undefined && !(isStar && this.exportsOf(next(file, statement)).has(name))) continue
      const original = listed?.propertyName?.text ?? name
      if (statement.moduleSpecifier === undefined) return this.find(file, original)
      const from = next(file, statement)
      return from.startsWith('packages/') || from.startsWith('apps/') ? this.find(from, original) : { name, file: from }
    }
    return { name, file }
  }
}

/** Returns the source file or the package from which a statement imports or exports. */
function next(file: string, { moduleSpecifier }: ts.ExportDeclaration | ts.ImportDeclaration): string {
  const from = (moduleSpecifier as ts.StringLiteral).text
  return from.startsWith('.') ? join(dirname(file), from) : from
}

function elementsOf(
  statement: ts.ExportDeclaration | ts.ImportDeclaration,
): ReadonlyArray<ts.ExportSpecifier | ts.ImportSpecifier> {
  const list = ts.isExportDeclaration(statement) ? statement.exportClause : statement.importClause?.namedBindings
  return list !== undefined && (ts.isNamedExports(list) || ts.isNamedImports(list)) ? [...list.elements] : []
}

function has(statement: ts.Statement, modifier: ts.SyntaxKind): boolean {
  return ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some(({ kind }) => kind === modifier) === true
}

/** Returns the names that a statement declares. */
function namesOf(statement: ts.Statement): ReadonlyArray<string> {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText())
  if (
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isModuleDeclaration(statement)
  )
    return statement.name === undefined ? [] : [statement.name.text]
  return []
}
