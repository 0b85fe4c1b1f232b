/** The commands of a standby, which follows the replica until it is promoted (docs/replica.md). */
import path from 'node:path'
import { auditRetentionOf } from '../config.ts'
import { noProgress } from '../base/progress.ts'
import { Standby } from '../replica/standby.ts'
import { readRecord } from '../replica/standby-record.ts'
import { createDataDirectory } from '../storage/data-directory.ts'
import { takeLock, type Lock } from '../storage/lock.ts'
import { hasStore, keyFileOption } from './backup.ts'
import { CommandError } from './command-error.ts'
import { offlineCommand, serviceCommand, type Deployment, type RunningService } from './command.ts'
import { readIdentity } from './key-file.ts'
import { onReplica, targetOf } from './replica.ts'
import { askServer, serveOperator } from './socket.ts'

interface PromoteInput {
  readonly asIs?: true
}

const promoteName = 'standby promote'

/** A standby in its process and, once it is promoted, the service. */
class StandbyProcess {
  readonly #deployment: Deployment
  readonly #standby: Standby
  #lock: Lock | undefined
  #socket: { close(): unknown } | undefined
  #service: RunningService | undefined

  constructor(deployment: Deployment, standby: Standby, lock: Lock) {
    this.#deployment = deployment
    this.#standby = standby
    this.#lock = lock
  }

  async start(): Promise<void> {
    const { config, log } = this.#deployment
    if (this.#standby.isPromoting) {
      await this.#standby.finish()
      await this.#serve(undefined)
      return
    }
    await this.#standby.start()
    this.#socket = await serveOperator(
      config.DATA_DIR,
      ({ command, input }) => {
        if (command === promoteName) return this.#promote(input)
        throw new CommandError(
          'CONFLICT',
          `A standby runs here, which has no open store: promote it before ${command}.`,
        )
      },
      log,
    )
    log.info('a standby follows the replica', { url: config.REPLICA_URL })
  }

  async #promote({ asIs }: PromoteInput): Promise<object> {
    const advice =
      asIs === true ? '' : ' Nothing was promoted: try again, or promote what the standby has with --as-is.'
    const promotion = await onReplica(this.#standby.promote(asIs === true), advice).catch((error: unknown) => {
      throw error instanceof CommandError ? error : new CommandError('ERROR', (error as Error).message)
    })
    this.#deployment.log.warn('the standby was promoted, and the service starts', { name: promotion.madeAt })
    try {
      const { publicUrl } = await this.#serve(promotion.writer)
      return { ...promotion, publicUrl }
    } catch (error) {
      // The process is not a standby any more. Its next start serves.
      setImmediate(() => {
        throw error
      })
      throw new CommandError(
        'ERROR',
        `The standby was promoted, but the service cannot start: ${(error as Error).message}`,
      )
    }
  }

  async #serve(writer: Parameters<Deployment['startService']>[0]) {
    // The service has the same lock and the same socket. The request under way stays open.
    this.#socket?.close()
    this.release()
    const service = await this.#deployment.startService(writer)
    this.#service = service
    return service
  }

  /** Releases the lock of the data directory. */
  release(): void {
    this.#lock?.release()
    this.#lock = undefined
  }

  async close(): Promise<void> {
    if (this.#service) return this.#service.close()
    this.#socket?.close()
    await this.#standby.close()
    this.release()
  }
}

/** Returns whether the store of a data directory is that of a standby that was promoted. */
function wasPromoted(dataDir: string): boolean {
  const { state } = readRecord(dataDir) ?? {}
  return state === 'promoting' || state === 'promoted'
}

export const standby = serviceCommand<{ keyFile: string }>({
  name: 'standby',
  summary: 'Follow the replica, ready to be promoted; runs until it is stopped, and serves once it is promoted',
  required: [keyFileOption],
  examples: [['standby --key-file backup.key', 'on another machine; keeps the store in ROLLKEY_DATA_DIR']],
  async start(deployment, { keyFile }) {
    const { config } = deployment
    const { DATA_DIR: dataDir } = config
    const target = targetOf(deployment)
    createDataDirectory(dataDir)
    if (hasStore(dataDir)) {
      if (wasPromoted(dataDir)) return deployment.startService(undefined)
      const message = `${dataDir} already has a store: a standby needs an empty ROLLKEY_DATA_DIR. Nothing was changed.`
      throw new CommandError('CONFLICT', message)
    }
    const identity = readIdentity(keyFile)
    const lock = await takeLock(path.join(dataDir, 'lock.db'))
    if (!lock) throw new CommandError('CONFLICT', `Another Rollkey uses the data directory ${dataDir}: stop it.`)
    const parts = { ...deployment, dataDir, auditRetention: auditRetentionOf(config), progress: noProgress }
    const running = new StandbyProcess(deployment, new Standby({ ...parts, target, identity }), lock)
    try {
      await onReplica(running.start(), '')
    } catch (error) {
      running.release()
      throw error
    }
    return running
  },
})

export const standbyPromote = offlineCommand<PromoteInput>({
  name: promoteName,
  summary: 'Make the standby of this machine the service, and the writer of the replica; everyone must sign in again',
  options: [['--as-is', 'promote what the standby has, where the replica is damaged or does not answer']],
  examples: [
    ['standby promote', 'prints the moment of the state, and whom it replaced'],
    ['standby promote --as-is', 'may lose what was shipped'],
  ],
  async runOffline({ config: { DATA_DIR } }, input, progress) {
    if (hasStore(DATA_DIR)) {
      const message = `${DATA_DIR} has a store and no standby: it was promoted already, or ROLLKEY_DATA_DIR is another one.`
      throw new CommandError('CONFLICT', message)
    }
    const answer = await askServer(DATA_DIR, promoteName, input, progress)
    if (answer !== undefined) return answer
    throw new CommandError(
      'UNAVAILABLE',
      `No standby runs on ${DATA_DIR}: start it, or use replica restore.`,
      'standby',
    )
  },
})
