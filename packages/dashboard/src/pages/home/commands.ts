/** What a newcomer can paste; there is no command-line client yet. */

function post(publicUrl: string, path: string, body: object): string {
  return `curl -s ${publicUrl}${path} \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(body)}'`
}

export function startCommand(publicUrl: string): string {
  return post(publicUrl, '/v1/cli/device/start', { clientName: 'my terminal' })
}

export function pollCommand(publicUrl: string): string {
  return post(publicUrl, '/v1/cli/device/poll', { deviceCode: 'DEVICE_CODE' })
}
