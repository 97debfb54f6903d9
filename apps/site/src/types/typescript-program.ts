// Opens the source files with the types that the compiler infers. The compiler runs in a separate process.
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { API, type Checker } from 'typescript/unstable/sync'

/** Source files of the command line and of all packages, with the compiler's type checker. */
export interface TypeScriptProgram {
  readonly checker: Checker
  /** Returns a source file by its path from the repository's root. @throws Error for a path outside of the program */
  readonly file: (path: string) => SourceFile
  readonly close: () => void
}

/** Starts the compiler on the source files. @param scratch folder for a generated tsconfig.json */
export function openProgram(root: string, scratch: string): TypeScriptProgram {
  const config = join(scratch, 'tsconfig.json')
  const from = relative(scratch, root)
  const include = ['apps/cli/src', 'packages/*/src', 'packages/policies/*/src'].map((folder) => `${from}/${folder}`)
  mkdirSync(scratch, { recursive: true })
  writeFileSync(config, JSON.stringify({ extends: `${from}/apps/cli/tsconfig.json`, include, exclude: [] }))
  const api = new API({ cwd: root })
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
  if (project === undefined) throw new Error(`the compiler does not open ${config}`)
  return {
    checker: project.checker,
    file: (path) => {
      const file = project.program.getSourceFile(join(root, path))
      if (file === undefined) throw new Error(`the compiler does not know ${path}`)
      return file
    },
    close: () => api.close(),
  }
}

/** Returns the TypeScript modules of a folder, in the order of their paths. */
export function sourcesIn(root: string, folder: string): ReadonlyArray<string> {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((file) => !file.endsWith('.d.ts'))
    .sort()
}

/** Calls `see` for a node and all nodes below it. */
export function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  node.forEachChild((child) => visit(child, see))
}
