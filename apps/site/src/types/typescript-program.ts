// The sources as the compiler knows them: what their types are follows from what the compiler says, which is a process of its own.
import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import { API, type Checker } from 'typescript/unstable/sync'

/** The sources of the command line and of all packages. */
export interface TypeScriptProgram {
  readonly checker: Checker
  /** @param path from the repository's root @throws Error for what is no source of these */
  readonly file: (path: string) => SourceFile
  readonly close: () => void
}

/**
 * Starts the compiler.
 *
 * @param root the repository's
 * @param scratch a folder for the compiler's configuration
 */
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

/** The sources of a folder that are modules of TypeScript, in order. */
export function sourcesIn(root: string, folder: string): ReadonlyArray<string> {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((file) => !file.endsWith('.d.ts'))
    .sort()
}

/** Visits a node and all below it. */
export function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  node.forEachChild((child) => visit(child, see))
}
