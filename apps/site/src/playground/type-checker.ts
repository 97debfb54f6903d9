// Checks the types of a policy's code. TypeScript 6 is the last compiler written in JavaScript; later compilers cannot
// run in a page.
import ts from 'typescript-6'

/** Declarations of the language, and of the packages from which code may import types. */
export interface Declarations {
  /** Texts of the declaration files, by path. */
  readonly files: Readonly<Record<string, string>>
  /** Path of the entry of each package, by name. */
  readonly modules: Readonly<Record<string, string>>
}

/** A type error with its place in the code. */
export interface TypeFault {
  readonly from: number
  readonly to: number
  readonly message: string
}

const path = '/policy.ts'

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2024.d.ts', 'lib.webworker.d.ts'],
  types: [],
  strict: true,
  // JavaScript has no type annotations.
  noImplicitAny: false,
  allowImportingTsExtensions: true,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noEmit: true,
  skipLibCheck: true,
}

/** Checks one code after the other. The common declarations are read only once. */
export class TypeChecker {
  readonly #service: ts.LanguageService
  #code = ''
  #version = 0

  constructor({ files, modules }: Declarations) {
    const textOf = (file: string): string | undefined => (file === path ? this.#code : files[file])
    const host: ts.LanguageServiceHost = {
      getCompilationSettings: () => ({
        ...options,
        paths: Object.fromEntries(Object.entries(modules).map(([name, file]) => [name, [file]])),
      }),
      getScriptFileNames: () => [path],
      getScriptVersion: (file) => (file === path ? String(this.#version) : '0'),
      getScriptSnapshot: (file) => {
        const text = textOf(file)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: () => '/lib.es2024.d.ts',
      fileExists: (file) => textOf(file) !== undefined,
      readFile: textOf,
    }
    this.#service = ts.createLanguageService(host)
  }

  /** Returns all errors in code, in the order of their places. */
  faults(code: string): ReadonlyArray<TypeFault> {
    this.#code = code
    this.#version++
    const found = [...this.#service.getSyntacticDiagnostics(path), ...this.#service.getSemanticDiagnostics(path)]
    return found
      .map(({ start = 0, length = 0, messageText }) => ({
        from: start,
        to: start + length,
        message: ts.flattenDiagnosticMessageText(messageText, '\n'),
      }))
      .sort((a, b) => a.from - b.from)
  }
}
