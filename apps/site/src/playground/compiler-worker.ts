// Worker with the compiler: checks the types of a policy's code, and removes the types. TypeScript 6 is the last compiler
// in JavaScript; later compilers cannot run in a page.
import { declarations } from 'site:contract-declarations'
import { blankSourceFile } from 'ts-blank-space'
import ts from 'typescript-6'

/** Question of the page: the code of a policy, and the number `at` of the question. */
export interface CompilerQuestion {
  readonly at: number
  /** `types` asks for all errors; `javascript` for the code without types, and for the errors that prevent this code. */
  readonly kind: 'types' | 'javascript'
  readonly code: string
}
/** Answer to the question `at`, with the errors in the order of their offsets. */
export interface CompilerAnswer {
  readonly at: number
  readonly faults: ReadonlyArray<Fault>
  /** Code without types; empty if the question was about types. */
  readonly javascript: string
}

/** Declarations of the language, and of the packages whose types a policy's code may import. */
export interface Declarations {
  /** Texts of the declaration files, by path in the page. */
  readonly files: Readonly<Record<string, string>>
  /** Path of the entry of each package, by the package's name. */
  readonly modules: Readonly<Record<string, string>>
}

/** An error, with the offsets of its first character and of its end in the code. */
export interface Fault {
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

/** Compiles one policy's code after the other, and reads the declarations only once. */
class Compiler {
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

  answer({ at, kind, code }: CompilerQuestion): CompilerAnswer {
    this.#code = code
    this.#version++
    const syntax = this.#service.getSyntacticDiagnostics(path).map(faultOf)
    if (kind === 'types') {
      const found = [...syntax, ...this.#service.getSemanticDiagnostics(path).map(faultOf)]
      return { at, faults: found.sort((a, b) => a.from - b.from), javascript: '' }
    }
    const faults = [...syntax]
    const javascript = blankSourceFile(this.#service.getProgram()!.getSourceFile(path)!, (node) => {
      const message = 'this syntax is not allowed, because it is more than a type: write JavaScript instead'
      faults.push({ from: node.getStart(), to: node.getEnd(), message })
    })
    return { at, faults, javascript }
  }
}

function faultOf({ start = 0, length = 0, messageText }: ts.Diagnostic): Fault {
  return { from: start, to: start + length, message: ts.flattenDiagnosticMessageText(messageText, '\n') }
}

const compiler = new Compiler(declarations)

onmessage = ({ data }: MessageEvent<CompilerQuestion>) => postMessage(compiler.answer(data))
