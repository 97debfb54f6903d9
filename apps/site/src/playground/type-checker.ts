// What the compiler says of a policy's code. It is the last one that is written in JavaScript: the newer one is no script.
import ts from 'typescript-6'

/** What code may import the types of, and what it has without an import. */
export interface Declarations {
  /** Texts by their paths. */
  readonly files: Readonly<Record<string, string>>
  /** The path that the name of a package stands for. */
  readonly modules: Readonly<Record<string, string>>
}

/** A place in the code, and what is wrong there. */
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
  // Who writes JavaScript names no types.
  noImplicitAny: false,
  allowImportingTsExtensions: true,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noEmit: true,
  skipLibCheck: true,
}

/** Checks one code after the other; what they have in common is read once. */
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

  /** Everything that is wrong in some code, in its order. */
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
