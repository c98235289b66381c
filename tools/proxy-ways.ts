/** The proxies that `tools/proxies.ts` puts before a Core, each with the limits that it is tried with. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** What a configuration is made of. */
export interface Place {
  /** The port of the proxy on 127.0.0.1. */
  port: number
  /** The port of the Core on 127.0.0.1. */
  core: number
  /** A folder for its files, with the certificate `cert.pem` and its key `cert.pem.key` in it. */
  folder: string
}

/** A proxy. */
export interface Program {
  /** The program as Debian installs it. */
  path: string
  install: string
  /** Its arguments, given its configuration file. It stays in the foreground. */
  args: (file: string) => string[]
  /** A configuration. @param limit the lines that make a limit, by the place where they stand */
  configuration: (place: Place, limit: Limit) => string
}

/** The lines of a configuration that make a limit. */
export interface Limit {
  /** Beside the server, where a program wants zones or modules there. */
  outside?: string
  /** In the server. */
  inside?: string
}

/** A proxy with one limit. */
export interface Way {
  name: string
  program: keyof typeof PROGRAMS
  /** What it does, for people. */
  does: string
  limit: Limit
  /** Requests that it hands on in a second, where it limits them. */
  perSecond?: number
  /** Errors that a client may make in a second, where it limits them. */
  errorsPerSecond?: number
  /** The same of new connections. */
  opensPerSecond?: number
  /** What a report should tell of the limit: the first group of the pattern is its figure. */
  told?: { words: RegExp; figure: number }
  /** Specs that it keeps from being judged, whatever the pace. */
  lost?: readonly string[]
  /** A file that it needs beside its program, with the command that installs it. */
  needs?: { file: string; install: string }
}

const nginx: Program = {
  path: '/usr/sbin/nginx',
  install: 'apt-get install nginx',
  args: file => ['-e', 'stderr', '-c', file],
  configuration: ({ port, core, folder }, { outside = '', inside = '' }) => `
    daemon off;
    pid ${folder}/pid;
    events { worker_connections 1024; }
    http {
      log_format handed "$request_method $uri $status";
      access_log ${folder}/handed.log handed if=$upstream_addr;
      client_body_temp_path ${folder}/body;
      proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi;
      scgi_temp_path ${folder}/scgi;
      ${outside}
      server {
        listen 127.0.0.1:${port} ssl;
        ssl_certificate ${folder}/cert.pem;
        ssl_certificate_key ${folder}/cert.pem.key;
        ${inside}
        error_page 400 =406 @refused; # nginx itself refuses what has no Host
        location @refused { return 406; }
        location / {
          proxy_pass https://127.0.0.1:${core};
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header Connection "";
        }
      }
    }`,
}

const haproxy: Program = {
  path: '/usr/sbin/haproxy',
  install: 'apt-get install haproxy',
  args: file => ['-db', '-f', file],
  configuration: ({ port, core, folder }, { inside = '' }) => `
global
  log stdout format raw local0
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tarpit 2s
frontend core
  bind 127.0.0.1:${port} ssl crt ${folder}/cert.pem
  log global
  log-format "%HM %HP %ST %s %cp"
${inside}
  default_backend core
backend core
  server core 127.0.0.1:${core} ssl verify none
`,
}

const apache: Program = {
  path: '/usr/sbin/apache2',
  install: 'apt-get install apache2',
  args: file => ['-DFOREGROUND', '-f', file],
  configuration: ({ port, core, folder }, { outside = '', inside = '' }) => `
ServerRoot ${folder}
PidFile ${folder}/pid
ServerName 127.0.0.1
ErrorLog ${folder}/error.log
TypesConfig /dev/null
Listen 127.0.0.1:${port}
${['mpm_event', 'authz_core', 'socache_shmcb', 'ssl', 'proxy', 'proxy_http', 'rewrite', 'asis', 'mime'].map(apacheModule).join('\n')}
User nobody
Group nogroup
ServerLimit 1
StartServers 1
ThreadsPerChild 64
MaxRequestWorkers 64
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 60
CustomLog ${folder}/handed.log "%m %U %s" "expr=-n note('proxy-source-port')"
${outside}
<VirtualHost 127.0.0.1:${port}>
  SSLEngine on
  SSLCertificateFile ${folder}/cert.pem
  SSLCertificateKeyFile ${folder}/cert.pem.key
  SSLProxyEngine on
  SSLProxyVerify none
  SSLProxyCheckPeerName off
  SSLProxyCheckPeerCN off
  ProxyPreserveHost On
  AllowEncodedSlashes NoDecode
  # Apache itself refuses what has no Host, and lets HTTP/1.0 do without
  DocumentRoot ${folder}
  ErrorDocument 400 /refused.asis
  AddHandler send-as-is asis
  ProxyPass /refused.asis !
  RewriteEngine On
  RewriteCond %{HTTP_HOST} =""
  RewriteCond %{REQUEST_URI} !^/refused
  RewriteRule ^ - [R=406]
  ProxyPass / https://127.0.0.1:${core}/ nocanon
  ${inside}
</VirtualHost>
`,
}

/** The proxies by name. */
export const PROGRAMS = { nginx, haproxy, apache }

const APACHE_MODULES = '/usr/lib/apache2/modules'

function apacheModule(name: string): string {
  return `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`
}

/** Debian's mod_qos lacks the library that it was linked with. */
function pcre(): string {
  const found = /=> (\S*\/libpcre\.so\.3)$/m.exec(
    spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).stdout ?? '',
  )
  return found ? `LoadFile ${found[1]}` : ''
}

/** Counts in HAProxy by the address of the client. */
const track = (counters: string) => `
  stick-table type ip size 1k expire 60s store ${counters}
  tcp-request connection track-sc0 src`
const REQUESTS = { words: /([\d.]+) requests? (?:a|per) second/ }
const zone = (rate: string) => `limit_req_zone $binary_remote_addr zone=rate:1m rate=${rate};`

/** Every proxy without a limit, which the others of its program are compared with, and with each limit. */
export const WAYS: readonly Way[] = [
  { name: 'nginx', program: 'nginx', does: 'no limit', limit: {} },
  {
    name: 'nginx-rate',
    program: 'nginx',
    does: 'limit_req rate=20r/s burst=10 nodelay, 503',
    limit: { outside: zone('20r/s'), inside: 'limit_req zone=rate burst=10 nodelay;' },
    perSecond: 20,
    told: { ...REQUESTS, figure: 20 },
  },
  {
    name: 'nginx-delay',
    program: 'nginx',
    does: 'limit_req rate=20r/s burst=10, 503',
    limit: { outside: zone('20r/s'), inside: 'limit_req zone=rate burst=10;' },
    perSecond: 20,
    told: { ...REQUESTS, figure: 20 },
  },
  {
    name: 'nginx-no-burst',
    program: 'nginx',
    does: 'limit_req rate=20r/s, limit_req_status 429',
    limit: { outside: zone('20r/s'), inside: 'limit_req zone=rate; limit_req_status 429;' },
    perSecond: 20,
    // They send two requests at once, and without a burst the second is refused.
    lost: ['connections-behind-no-token', 'connections-behind-revoked-token'],
    told: { ...REQUESTS, figure: 20 },
  },
  {
    name: 'nginx-connections',
    program: 'nginx',
    does: 'limit_conn 2, 503',
    limit: { outside: 'limit_conn_zone $binary_remote_addr zone=at:1m;', inside: 'limit_conn at 2;' },
    told: { words: /([\d.]+) (?:connections|requests) at a time/, figure: 2 },
  },
  { name: 'haproxy', program: 'haproxy', does: 'no limit', limit: {} },
  {
    name: 'haproxy-rate',
    program: 'haproxy',
    does: '429 beyond 20 requests a second',
    limit: {
      inside: `${track('http_req_rate(1s)')}
  http-request deny deny_status 429 if { sc0_http_req_rate gt 20 }`,
    },
    perSecond: 20,
    told: { ...REQUESTS, figure: 20 },
  },
  {
    name: 'haproxy-tarpit',
    program: 'haproxy',
    does: 'tarpit of 2 s beyond 20 requests a second',
    limit: {
      inside: `${track('http_req_rate(1s)')}
  http-request tarpit if { sc0_http_req_rate gt 20 }`,
    },
    perSecond: 20,
    told: { ...REQUESTS, figure: 20 },
  },
  {
    name: 'haproxy-silent-drop',
    program: 'haproxy',
    does: 'silent-drop beyond 30 requests a second',
    limit: {
      inside: `${track('http_req_rate(1s)')}
  http-request silent-drop if { sc0_http_req_rate gt 30 }`,
    },
    perSecond: 30,
    told: { ...REQUESTS, figure: 30 },
  },
  {
    name: 'haproxy-new-connections',
    program: 'haproxy',
    does: 'tcp-request connection reject beyond 10 new connections a second',
    limit: {
      inside: `${track('conn_rate(1s)')}
  tcp-request connection reject if { sc0_conn_rate gt 10 }`,
    },
    opensPerSecond: 10,
    told: { words: /([\d.]+) (?:new )?connections? (?:a|per) second/, figure: 10 },
  },
  {
    name: 'haproxy-ban',
    program: 'haproxy',
    does: '403 for 5 s after 15 errors in 5 s',
    limit: {
      inside: `${track('http_err_rate(5s)')}
  http-request deny deny_status 403 if { sc0_http_err_rate gt 15 }`,
    },
    errorsPerSecond: 3,
    told: { words: /([\d.]+) (?:refusals|errors)/, figure: 15 },
  },
  { name: 'apache', program: 'apache', does: 'no limit', limit: {} },
  {
    name: 'apache-evasive',
    program: 'apache',
    does: 'mod_evasive: 403 for 3 s after 20 requests in a second',
    limit: {
      outside: `LoadModule evasive20_module ${APACHE_MODULES}/mod_evasive20.so
DOSPageCount 20
DOSPageInterval 1
DOSSiteCount 20
DOSSiteInterval 1
DOSBlockingPeriod 3
DOSLogDir /tmp`,
    },
    perSecond: 20,
    told: { ...REQUESTS, figure: 20 },
    needs: { file: `${APACHE_MODULES}/mod_evasive20.so`, install: 'apt-get install libapache2-mod-evasive' },
  },
  {
    name: 'apache-qos',
    program: 'apache',
    does: 'mod_qos: QS_SrvMaxConnPerIP 2, which closes further connections',
    limit: {
      outside: `${pcre()}
${apacheModule('qos')}
QS_SrvMaxConnPerIP 2`,
    },
    told: { words: /([\d.]+) connections at a time/, figure: 2 },
    needs: { file: `${APACHE_MODULES}/mod_qos.so`, install: 'apt-get install libapache2-mod-qos' },
  },
]

/** Returns why a way cannot be tried here, with the command that helps; undefined where it can. */
export function lackOf({ program, needs }: Way): string | undefined {
  const { path, install } = PROGRAMS[program]
  for (const each of [{ file: path, install }, needs]) {
    if (each && !existsSync(each.file)) return `there is no ${each.file}: ${each.install}`
  }
  return undefined
}
