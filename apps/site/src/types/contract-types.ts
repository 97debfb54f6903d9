// Finds the types of the policy contract for help in the playground's editor: members with their docstrings.
import { type InterfaceDeclaration, type Node, SyntaxKind } from 'typescript/unstable/ast'
import type { ContractTypes } from '../playground/contract-types.ts'
import type { TypeScriptProgram } from './typescript-program.ts'

const SOURCES = [
  'packages/placement/src/contract.ts',
  'packages/placement/src/view.ts',
  'packages/topology/src/topology.ts',
]

/** Returns the interfaces of the policy contract, of the state and of the topology, with their members. */
export function contractTypes({ checker, file }: TypeScriptProgram): ContractTypes {
  const interfaces = SOURCES.flatMap((source) => [...file(source).statements].filter(isInterface))
  const names = interfaces.map(({ name }) => name.getText())
  const types = interfaces.map(({ name, members }) => {
    const symbol = checker.getSymbolAtLocation(name)
    const own = members.flatMap((member) => {
      const { name: called } = member as Node & { readonly name?: Node }
      const found = called && checker.getSymbolAtLocation(called)
      if (found === undefined) return []
      const declaration = member.getText().replace(/^readonly /, '')
      const [, type = ''] = /: (?:ReadonlyArray<)?(\w+)[^:]*$/.exec(declaration) ?? []
      return [
        {
          name: found.name,
          declaration,
          about: plain(checker.getDocumentationCommentOfSymbol(found)),
          ...(names.includes(type) && { type }),
        },
      ]
    })
    const about = symbol === undefined ? '' : plain(checker.getDocumentationCommentOfSymbol(symbol))
    return [name.getText(), { about, members: own }] as const
  })
  return Object.fromEntries(types)
}

function isInterface(node: Node): node is InterfaceDeclaration {
  return node.kind === SyntaxKind.InterfaceDeclaration
}

function plain(documentation: string): string {
  return documentation.replaceAll(/\{@link ([\w.]+)\}/g, '$1').replaceAll(/\s*\n\s*/g, ' ')
}
