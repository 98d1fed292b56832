{{- define "boardsync.name" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | replace "." "-" | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | replace "." "-" | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "boardsync.selector" -}}
app.kubernetes.io/name: boardsync
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "boardsync.labels" -}}
{{ include "boardsync.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "boardsync.serviceAccount" -}}
{{- if .Values.serviceAccount.name -}}
{{- .Values.serviceAccount.name -}}
{{- else if .Values.serviceAccount.create -}}
{{- include "boardsync.name" . -}}
{{- else -}}
default
{{- end -}}
{{- end -}}

{{- /* The config file. */ -}}
{{- define "boardsync.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- if .Values.webhooks.enabled -}}
{{- $_ := set $config "http" (mergeOverwrite (dict "webhooksPort" 8788) (default dict $config.http)) -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}

{{- /* The secrets that these values use, one a line: the variable, the file, the Secret and its key. */ -}}
{{- define "boardsync.secrets" -}}
{{- $secrets := .Values.secrets -}}
{{- $isApp := and $secrets.githubAppId.name $secrets.githubAppPrivateKey.name -}}
- { variable: BOARD_API_KEY_FILE, file: board-api-key, from: {{ $secrets.boardKey | toJson }} }
{{- if $isApp }}
- { variable: GITHUB_APP_ID_FILE, file: github-app-id, from: {{ $secrets.githubAppId | toJson }} }
- { variable: GITHUB_APP_PRIVATE_KEY_FILE, file: github-app-private-key, from: {{ $secrets.githubAppPrivateKey | toJson }} }
{{- else }}
- { variable: GITHUB_TOKEN_FILE, file: github-token, from: {{ $secrets.githubToken | toJson }} }
{{- end }}
{{- if eq .Values.state.kind "postgres" }}
- { variable: BOARDSYNC_STATE_URL_FILE, file: state-url, from: {{ $secrets.stateUrl | toJson }} }
{{- end }}
{{- if .Values.webhooks.enabled }}
- { variable: GITHUB_WEBHOOK_SECRET_FILE, file: webhook-secret, from: {{ $secrets.webhookSecret | toJson }} }
{{- end }}
{{- if $secrets.httpToken.name }}
- { variable: BOARDSYNC_HTTP_TOKEN_FILE, file: http-token, from: {{ $secrets.httpToken | toJson }} }
{{- end }}
{{- if $secrets.httpReadToken.name }}
- { variable: BOARDSYNC_HTTP_READ_TOKEN_FILE, file: http-read-token, from: {{ $secrets.httpReadToken | toJson }} }
{{- end }}
{{- end -}}

{{- /* What the schema of the values can't say, in the words of whoever has to mend it. */ -}}
{{- define "boardsync.check" -}}
{{- $isPostgres := eq .Values.state.kind "postgres" -}}
{{- if and (gt (int .Values.replicas) 1) (not $isPostgres) -}}
{{- fail (printf "replicas: %d need `state.kind: postgres`. A state in a file is for one process: with SQLite leave `replicas` at 1." (int .Values.replicas)) -}}
{{- end -}}
{{- if .Values.existingConfigMap -}}
{{- if .Values.config -}}
{{- fail "Give either `config` or `existingConfigMap`, not both." -}}
{{- end -}}
{{- else if not (and .Values.config.board .Values.config.projects) -}}
{{- fail "`config` needs `board` and `projects`: the config file of boardsync as YAML. The values.yaml of this chart has an example. Or name a ConfigMap by `existingConfigMap`." -}}
{{- end -}}
{{- if hasKey .Values.config "http" -}}
{{- $http := .Values.config.http -}}
{{- if not (kindIs "map" $http) -}}
{{- fail "`config.http` must not be switched off: the probes of the pod ask for its health there." -}}
{{- end -}}
{{- if and (hasKey $http "port") (ne (int $http.port) 8787) -}}
{{- fail "`config.http.port`: leave it out, the chart needs 8787. The port that others see is `service.port`." -}}
{{- end -}}
{{- if and (hasKey $http "webhooksPort") (ne (int $http.webhooksPort) 8788) -}}
{{- fail "`config.http.webhooksPort`: leave it out, the chart writes 8788 there with `webhooks.enabled`." -}}
{{- end -}}
{{- end -}}
{{- if ne (empty .Values.secrets.githubAppId.name) (empty .Values.secrets.githubAppPrivateKey.name) -}}
{{- fail "A GitHub App needs both `secrets.githubAppId.name` and `secrets.githubAppPrivateKey.name`." -}}
{{- end -}}
{{- range include "boardsync.secrets" . | fromYamlArray -}}
{{- if not .from.name -}}
{{- fail (printf "%s has no secret: name one that exists under `secrets`." (trimSuffix "_FILE" .variable)) -}}
{{- end -}}
{{- end -}}
{{- if .Values.webhooks.ingress.enabled -}}
{{- if not .Values.webhooks.enabled -}}
{{- fail "`webhooks.ingress.enabled` needs `webhooks.enabled`." -}}
{{- end -}}
{{- if not .Values.webhooks.ingress.host -}}
{{- fail "`webhooks.ingress.enabled` needs `webhooks.ingress.host`: the name by which GitHub reaches the cluster." -}}
{{- end -}}
{{- end -}}
{{- end -}}
