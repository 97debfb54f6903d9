import { OptionError } from '@cloister/run'
import { attempt, Files } from '@cloister/run/node'
import { SlurmCommandError } from '@cloister/slurm'
import { Effect, Option } from 'effect'
import { userInfo } from 'node:os'
import { messageOf } from '../errors/message.ts'
import type { Watched } from './cluster-source.ts'
import { commandsSource } from './commands-source.ts'
import { restServer, tokenIn } from './rest-server.ts'
import { restSource } from './rest-source.ts'

export interface SourceFlags {
  readonly rest: Option.Option<string>
  readonly restTokenFile: Option.Option<string>
  readonly restUser: Option.Option<string>
}

/** Creates the source of the cluster's state: slurmrestd with `--rest`, else the commands of Slurm. */
export const sourceOfFlags = Effect.fnUntraced(function* (
  { rest, restTokenFile, restUser }: SourceFlags,
  watched: Watched,
) {
  if (Option.isNone(rest)) {
    for (const [option, value] of [
      ['rest-token-file', restTokenFile],
      ['rest-user', restUser],
    ] as const)
      if (Option.isSome(value))
        return yield* new OptionError({ option, reason: 'needs --rest, the address of slurmrestd' })
    return yield* commandsSource(watched)
  }
  const address = rest.value
  const server = yield* attempt(() => restServer(address))
  const token = yield* tokenOf(restTokenFile)
  // Reports an unusable token file before the first request.
  yield* token
  const user = Option.getOrElse(restUser, () => userInfo().username)
  if (!/^[\x21-\x7e]{1,256}$/.test(user))
    return yield* new OptionError({
      option: 'rest-user',
      reason: 'expected a user name of at most 256 visible ASCII characters',
    })
  const headers = token.pipe(
    Effect.mapError(
      (error) => new SlurmCommandError({ command: 'slurmrestd', reason: messageOf(error), mayPass: true }),
    ),
    Effect.map((found): Record<string, string> => ({
      ...(found !== undefined && { 'X-SLURM-USER-TOKEN': found }),
      ...((found !== undefined || Option.isSome(restUser)) && { 'X-SLURM-USER-NAME': user }),
    })),
  )
  return restSource({ address, server, headers }, watched)
})

const tokenOf = Effect.fnUntraced(function* (file: Option.Option<string>) {
  const disk = yield* Files
  return attempt(() => (Option.isNone(file) ? undefined : tokenIn(disk.readText(file.value), file.value)))
})
