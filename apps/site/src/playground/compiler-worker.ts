// Worker that checks types. Only this worker has the compiler, which loads slowly.
import { declarations } from 'site:contract-declarations'
import ts from 'typescript-6'

/** Question of the page: the code of a policy, and the number `at` of the question. */
export interface TypeQuestion {
  readonly at: number
  readonly code: string
}
/** Answer with the type errors in the code of the question `at`. */
export interface TypeAnswer {
  readonly at: number
  readonly faults: ReadonlyArray<TypeFault>
}

// Checks the types of a policy's code. TypeScript 6 is the last compiler in JavaScript; later compilers cannot run in a
// page.

/** Declarations of the language, and of the packages whose types a policy's code may import. */
export interface Declarations {
  /** Texts of the declaration files, by path in the page. */
  readonly files: Readonly<Record<string, string>>
  /** Path of the entry of each package, by the package's name. */
  readonly modules: Readonly<Record<string, string>>
}

/** A type error, with the offsets of its first character and of its end in the code. */
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
  // JavaScript code has no type annotations, and must not have errors for this reason.
  noImplicitAny: false,
  allowImportingTsExtensions: true,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noEmit: true,
  skipLibCheck: true,
}

/** Checks the types of one policy's code after the other, and reads the declarations only once. */
class TypeChecker {
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

  /** Returns all errors of syntax and types in the code of a policy, in the order of their offsets. */
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

const checker = new TypeChecker(declarations)

onmessage = ({ data: { at, code } }: MessageEvent<TypeQuestion>) => {
  const answer: TypeAnswer = { at, faults: checker.faults(code) }
  postMessage(answer)
}
