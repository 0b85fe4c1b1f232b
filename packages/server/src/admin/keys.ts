/** The commands about the master key: docs/keys.md. */
import { CannotUnwrap } from '../crypto/kms/kms.ts'
import { CommandRefused, type AdminCommand } from './command.ts'

export const keyStatus: AdminCommand = {
  about: 'the master key, and how many data keys it and others have wrapped',
  takes: [],
  run: ({ keyring }) => keyring.wrapping(),
}

export const keyRotate: AdminCommand = {
  about: 'wrap every data key with the present master key, while the server runs',
  takes: [],
  run: async ({ keyring }) => {
    try {
      return { rewrapped: await keyring.rewrap(), ...(await keyring.wrapping()) }
    } catch (error) {
      if (!(error instanceof CannotUnwrap)) throw error
      throw new CommandRefused(
        'A data key is of a master key that is not here: give that one by ROLLKEY_OTHER_MASTER_KEY or ROLLKEY_OTHER_KMS_URL, start again, and repeat.',
      )
    }
  },
}
